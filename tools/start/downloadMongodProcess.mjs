// Downloads a mongod into the folder given and prints its path. A process of its own, for the library cannot be told to stop.
import { MongoBinary } from 'mongodb-memory-server-core';

const [, , downloadDir] = process.argv;
if (!downloadDir) throw new Error('give the folder');
process.stdout.write(`${await MongoBinary.getPath({ downloadDir })}\n`);
