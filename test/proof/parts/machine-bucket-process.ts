// The process of a bucket for machines. Its argument is a MachineBucket with the folder of what it holds, as JSON; it says
// where it listens once it does.
import { createRequire } from 'node:module';
import type { MachineBucket } from './machine-bucket.ts';

type Account = { createKeyPair(id: string, secret: string): void };
type Server = new (options: Record<string, unknown>) => { run(): Promise<unknown> };
const require = createRequire(import.meta.url);
const S3rver = require('s3rver') as Server;
const { DUMMY_ACCOUNT } = require('s3rver/lib/models/account') as { DUMMY_ACCOUNT: Account };

const { address, port, name, id, secret, folder } = JSON.parse(process.argv[2] ?? '') as MachineBucket & {
  folder: string;
};
DUMMY_ACCOUNT.createKeyPair(id, secret);
const options = { address, port, silent: true, directory: folder, configureBuckets: [{ name }] };
await new S3rver(options).run();
process.stdout.write(`${address}:${port}\n`);
