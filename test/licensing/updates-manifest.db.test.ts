// updates/manifest to a caller who says what is installed: its flags are those that updates/check tells (D89).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import type { HttpReply } from '../support/http-client.ts';
import { published, signedProduct } from './release-fixture.ts';
import { refused, updateRequests } from './updates.ts';

let app: TestApp;
let send: ReturnType<typeof updateRequests>;
beforeAll(async () => {
  app = await startApp();
  send = updateRequests(app);
});
afterAll(() => app.close());

it('tells with current_version the flags of the way from there, as check does (D89)', async () => {
  const made = await signedProduct(app.ctx, 'ways');
  await published(app.ctx, made, '1.1.0', { isCritical: true });
  await published(app.ctx, made, '1.2.0', { requiresMigration: true, platform: 'windows' });
  await published(app.ctx, made, '1.3.0-beta.1', { channel: 'beta', isCritical: true });
  const newest = await published(app.ctx, made, '1.4.0');
  const { key: own } = await app.license({ productId: made.id });
  const flags = ({ body }: HttpReply) => [body.is_critical, body.requires_migration];
  const ask = (query: Record<string, string>) =>
    send.get('manifest', own, { release_id: newest.id, ...query });
  const ways: [Record<string, string>, boolean[]][] = [
    [{ current_version: '1.0.0' }, [true, true]],
    [{ current_version: 'v1.1.0' }, [false, true]],
    [{ current_version: '1.1.0', platform: 'linux' }, [false, false]],
    [{ current_version: '1.2.0' }, [false, false]],
    [{ current_version: '1.2.0', channel: 'beta' }, [true, false]],
  ];
  for (const [query, told] of ways) {
    const described = await ask(query);
    expect([query, flags(described)]).toEqual([query, told]);
    const current_version = String(query.current_version).replace('v', '');
    expect(described.body).toMatchObject({ version: '1.4.0', current_version });
    const offered = await send.check(own, query);
    expect([offered.body.release_id, flags(offered)]).toEqual([newest.id, told]);
  }
  // Whoever repairs what is installed asks for a release that is no newer: its own flags stand.
  const repaired = await ask({ current_version: '2.0.0' });
  expect(flags(repaired)).toEqual([false, false]);
  const plain = await ask({});
  expect([flags(plain), 'current_version' in plain.body]).toEqual([[false, false], false]);
  expect(refused(await ask({ current_version: 'newest' }))).toEqual([400, 'VALIDATION_ERROR']);
});
