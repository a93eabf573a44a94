// API keys through the admin API: nobody hands out a key that opens more than they may do themselves (admin.md 6.1).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY_SCOPES } from '#licensing/contract/enumerations.ts';
import * as roles from '#platform/roles/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

const post = (path: string, body: unknown, by: MadeKey) => app.admin(path, by, { body });

const handsOut = [
  [['licensing:secrets'], ['VALIDATE_ONLY']],
  [
    ['licensing:secrets', 'licensing:read'],
    ['VALIDATE_ONLY', 'READ_ONLY'],
  ],
  [['licensing:secrets', 'licensing:write'], [...API_KEY_SCOPES]],
] as const;

describe.each(handsOut)('who holds %j', (permissions, scopes) => {
  const name = `holder-${scopes.length}`;
  beforeAll(() => roles.create(app.ctx, { name, permissions: [...permissions] }));

  it.each(API_KEY_SCOPES)('makes and rotates a key of scope %s only when it opens no more', async (scope) => {
    const holder = await app.adminToken(name);
    const { body } = await post('/api-keys', { name: 'app', scope }, owner);
    for (const [path, input] of [
      ['/api-keys', { name: 'mine', scope }],
      [`/api-keys/${body.apiKey?.id}/rotate`, {}],
    ] as const) {
      const { result, changes } = await app.changesBy(() => post(path, input, holder));
      if ((scopes as readonly string[]).includes(scope)) {
        expect(result.body.rawKey).toMatch(/^alk_/);
        continue;
      }
      expect([result.status, result.body.error]).toMatchObject([403, { code: 'INSUFFICIENT_SCOPE' }]);
      expect(result.body.error?.details).toMatchObject({ reason: 'NOT_HELD' });
      expect(changes).toEqual(nothing);
    }
  });
});
