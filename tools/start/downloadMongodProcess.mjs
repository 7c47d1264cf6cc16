// Downloads a mongod into the given folder and prints its path. It is a process of its own, because the library
// cannot be stopped.
import { MongoBinary } from 'mongodb-memory-server-core';

const [, , downloadDir] = process.argv;
if (!downloadDir) throw new Error('give the folder');
process.stdout.write(`${await MongoBinary.getPath({ downloadDir })}\n`);
