// Two owners take each other's role at the same moment, from two processes: one of them stays an owner (admin.md 6.2).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';

const ROUNDS = 20;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let others: Other[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  others = await Promise.all([startProcess(), startProcess()]);
});
afterAll(async () => {
  for (const other of others) await other.stop();
  await instance.close();
  installation.remove();
  await database.drop();
});

interface Other {
  demote(id: string): Promise<string>;
  stop(): Promise<unknown>;
}

async function startProcess(): Promise<Other> {
  const { cwd } = installation;
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/owner-process.ts')], {
    cwd,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: cwd,
      NODE_COMPILE_CACHE: compileCache,
      APPCTL_DATA_DIR: join(cwd, 'data'),
      APPCTL_DATABASE_URL: database.url,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse(String((await lines.next()).value)) as string;
  await answer();
  return {
    demote(id) {
      child.stdin.write(`${JSON.stringify(id)}\n`);
      return answer();
    },
    stop: () => {
      child.stdin.end();
      return ended;
    },
  };
}

it(`in ${ROUNDS} rounds one of two wins, and an owner stays`, async () => {
  const { ctx } = instance;
  // Made by `setup`: both others are owners beside it until it goes.
  const founder = await accounts.findOwner(ctx);
  const [a, b] = await Promise.all(
    ['a@x.test', 'b@x.test'].map((email) =>
      accounts.create(ctx, { email, password: 'correct horse battery', roles: ['owner'] }),
    ),
  );
  if (!a || !b) throw new Error('two accounts were made');
  if (founder) await accounts.disable(ctx, founder.id);
  for (let round = 0; round < ROUNDS; round += 1) {
    const answers = await Promise.all(others.map((other, i) => other.demote([a.id, b.id][i] as string)));
    expect(answers.toSorted()).toEqual(['CONFLICT', 'done']);
    const owners = (await accounts.staffRows.page(ctx, { offset: 0, limit: 50 })).items.filter(
      ({ roles, status }) => status === 'active' && roles.includes('owner'),
    );
    expect(owners).toHaveLength(1);
    for (const { id } of [a, b]) await accounts.setRoles(ctx, id, ['owner']);
  }
});
