// What the two naive servers share: an ordinary express application that builds its queries with knex.
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import knexFactory, { type Knex } from 'knex';
import type { Keyring } from '#kernel/crypto.ts';
import { keyringOfJob, listenOn, serverJob } from './served.ts';

export interface Naive {
  app: Express;
  knex: Knex;
  keyring: Keyring;
  /** Answers 401 to requests without a known API key. */
  requireApiKey(req: Request, res: Response, next: NextFunction): Promise<void>;
}

/** Opens the database of the job and starts to listen; routes are added afterwards. */
export async function startNaive(): Promise<Naive> {
  const job = serverJob();
  const keyring = keyringOfJob(job);
  const knex = connect(job.databaseUrl);
  const app = express();
  app.use(express.json());
  await listenOn(app);
  const requireApiKey: Naive['requireApiKey'] = async (req, res, next) => {
    const hash = keyring.digest('api-key', req.get('X-API-Key') ?? '');
    const apiKey = await knex('api_keys').where({ key_hash: hash }).first();
    if (!apiKey || apiKey.revoked_at !== null) {
      res.status(401).json({ success: false, error: { code: 'INVALID_API_KEY' } });
      return;
    }
    next();
  };
  return { app, knex, keyring, requireApiKey };
}

function connect(url: string): Knex {
  if (!url.startsWith('sqlite:'))
    return knexFactory({ client: 'pg', connection: url, pool: { min: 2, max: 10 } });
  return knexFactory({
    client: 'better-sqlite3',
    connection: { filename: url.slice('sqlite:'.length) },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: 1,
      // As durable as the program itself: an acknowledged write has reached the disk.
      afterCreate: (connection: { pragma(text: string): void }, done: () => void) => {
        connection.pragma('journal_mode = WAL');
        connection.pragma('synchronous = FULL');
        done();
      },
    },
  });
}

/** SQLite holds JSON as text. */
export const fromJson = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);
