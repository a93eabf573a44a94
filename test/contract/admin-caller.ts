// Calls operations of the admin API, each about what its sample or the world of all makes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { restoreBy, verifyBy } from '#platform/backup/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import type { HttpReply, Sent } from '../support/http-client.ts';
import type { Made } from '../support/resource-sample.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';
import { type Operation, operations } from './admin-operations.ts';
import { BACKUP } from './admin-world.ts';
import { personal } from './platform/staff-api.ts';

/** What is about the person who signed in has tests of its own: test/platform/staff-api.db.test.ts. */
export const named = operations
  .filter(({ name }) => !personal.has(name))
  .map((one) => [one.name, one] as const);

/** Whether an operation declares that it reads a header. @param name in lower case */
export const readsHeader = ({ headers }: Pick<Operation['endpoint'], 'headers'>, name: string): boolean =>
  headers instanceof z.ZodObject && name in headers.shape;

export interface AdminCaller {
  readonly app: TestApp;
  readonly owner: MadeKey;
  /** A world that tests share which change nothing of it. */
  sharedBy(one: Operation, ctx?: Ctx): Promise<Made>;
  /** @param of what the call is about; the shared world when null */
  ask(one: Operation, token: MadeKey | null, of: Made | null, more?: Sent): Promise<HttpReply>;
}

/** Starts the application; close `app` in `afterAll`. */
export async function openAdminCaller(): Promise<AdminCaller> {
  const app = await startApp({ pins: LOOPBACK_PINS, metrics: true });
  const backups = join(app.instance.config.dataDir, 'backups');
  mkdirSync(backups, { recursive: true });
  writeFileSync(join(backups, BACKUP), 'a backup');
  // The process of the test goes on: how a server stops and is there again is shown in test/cli/restore-in-panel.db.test.ts.
  restoreBy(app.ctx, {
    refusal: async () => null,
    claim: () => ({ begin: () => undefined, leave: () => undefined }),
  });
  verifyBy(app.ctx, async () => ({ tables: 1 }));
  const worlds = new Map<string, Promise<Made>>();
  const sharedBy: AdminCaller['sharedBy'] = (one, ctx = app.ctx) => {
    const key = `${ctx.tenantId} ${one.shared}`;
    const world = worlds.get(key) ?? one.make(ctx);
    worlds.set(key, world);
    return world;
  };
  return {
    app,
    owner: await app.adminToken('owner'),
    sharedBy,
    async ask(one, token, of, more = {}) {
      const { endpoint, upload } = one;
      const made = of ?? (await sharedBy(one));
      return app.admin(one.path(made), token, {
        method: endpoint.method.toUpperCase(),
        ...(endpoint.upload ? upload : { body: endpoint.body && one.body(made) }),
        ...more,
        headers: { ...(endpoint.upload && upload?.headers), ...more.headers },
      });
    },
  };
}
