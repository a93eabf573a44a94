// A second process beside a server: opens the installation that the environment names and receives what it is told.
// Each line of stdin is `{configId, body, signature, copies}`; each is answered with the replies.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { logTo } from '#kernel/log.ts';
import * as inbox from '#licensing/purchases/inbox/index.ts';
import { openInstance } from '../../src/app/instance.ts';

type Told = { configId: string; body: string; signature: string; copies: number };

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const instance = await openInstance({ config, log, mode: 'use' });

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { configId, body, signature, copies } = JSON.parse(line) as Told;
  const raw = { bytes: Buffer.from(body) };
  const sent = { configId, raw, headers: { 'x-signature': signature }, ip: '127.0.0.1' };
  const replies = await Promise.all(Array.from({ length: copies }, () => inbox.receive(instance.ctx, sent)));
  process.stdout.write(`${JSON.stringify(replies)}\n`);
}
await instance.close();
