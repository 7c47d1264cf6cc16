import { expect } from 'chai';
import { connectMongo } from '../../../src/shared/mongo/mongo.ts';

describe('MONGO_URL that cannot be read', () => {
  const wrong = [
    ...['mongo:27017', 'http://host', 'mongodb://', 'mongodb://host:99999', 'mongodb://host/?colour=red'],
    ...['mongodb://u:secret', 'mongodb://u:secret/x@host', 'mongodb://u:secret#x@host', 'mongodb://u:secret%x@host'],
    ...['mongodb://u:secret@x@host', 'mongodb://u:secret@host:port'],
  ];
  for (const url of wrong) {
    it(`${url}: is named in a sentence that says how it is written, and shows no password`, () =>
      expect(() => connectMongo({ url, database: 'x', timeoutMs: 1 }))
        .to.throw(/^MONGO_URL: .+\. It is written mongodb:\/\/user:password@host.*%2F.*\.$/)
        .with.property('message')
        .not.include('secret'));
  }

  it('spaces and line ends around it, as files of secrets have them, do not matter', async () => {
    await connectMongo({ url: ' mongodb://127.0.0.1:1\n', database: 'x', timeoutMs: 1 }).close();
  });
});
