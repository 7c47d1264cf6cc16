// How the bot of the deployment is called: the jobs, which have its token, ask Telegram and note it, and the API tells users.
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';

const NAME_ID = 'telegramBot';

interface NameDocument {
  readonly _id: string;
  readonly value: string;
  readonly schema: 1;
}

export async function noteBotName({ db }: MongoConnection, value: string): Promise<void> {
  const settings = db.collection<NameDocument>(collections.settings, durable);
  await settings.updateOne({ _id: NAME_ID }, { $set: { value, schema: 1 } }, { upsert: true });
}

/** @returns undefined while no process has learned it */
export async function readBotName({ db }: MongoConnection): Promise<string | undefined> {
  return (await db.collection<NameDocument>(collections.settings).findOne({ _id: NAME_ID }))?.value;
}
