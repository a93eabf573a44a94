// offline.enabled where no token comes: the developer learns it at the first contact.
import { describe, expect, test } from 'vitest';
import { activation, license, ok, refuse, type Server, scripted, valid } from './scripted.ts';
import { token } from './signer.ts';

const wanted = { offline: { enabled: true }, retry: { attempts: 1 } };
const noKey = {
  error: {
    code: 'NOT_FOUND',
    message: 'Offline tokens are not offered',
    details: { reason: 'NO_ONLINE_KEY' },
  },
};
const serving =
  (tokens: Server): Server =>
  (asked) => {
    if (asked.operation === 'offline-token') return tokens(asked);
    return asked.operation === 'activate' ? ok({ license, activation }) : valid();
  };

describe('a server without an online key', () => {
  const problem = { code: 'NO_ONLINE_KEY', message: expect.stringContaining('/help/offline-licenses') };

  test('is told by the first access() and once by an event', async () => {
    const { client, of } = scripted(
      serving(() => refuse(404, 'NOT_FOUND', noKey)),
      wanted,
    );
    expect(await client.access()).toMatchObject({
      allowed: true,
      offlineUntil: null,
      offlineProblem: problem,
    });
    expect(of('warning')).toEqual([problem]);
    expect(await client.access({ force: true })).toMatchObject({ offlineProblem: problem });
    expect(of('warning')).toHaveLength(1);
  });

  test('and by activate()', async () => {
    const { client, of } = scripted(
      serving(() => refuse(404, 'NOT_FOUND', noKey)),
      wanted,
    );
    expect(await client.activate()).toMatchObject({ activated: true });
    expect(of('warning')).toEqual([problem]);
  });
});

test('a policy without tokens is another problem', async () => {
  const { client, of } = scripted(
    serving(() => refuse(404, 'NOT_FOUND')),
    wanted,
  );
  expect(await client.access()).toMatchObject({ offlineProblem: { code: 'NOT_FOUND' } });
  expect(of('warning')).toMatchObject([{ code: 'NOT_FOUND' }]);
});

test('an outage of the moment is no warning, and is over with the next token', async () => {
  const answers = [
    refuse(503, 'SERVICE_UNAVAILABLE'),
    ok({ token: token(), expiresAt: '2026-03-31T12:00:00.000Z' }),
  ];
  const { client, of } = scripted(
    serving(() => answers.shift() ?? ok()),
    wanted,
  );
  expect(await client.access()).toMatchObject({ offlineProblem: { code: 'SERVICE_UNAVAILABLE' } });
  await client.refreshOfflineToken();
  expect(await client.access({ force: true })).toMatchObject({
    offlineProblem: null,
    offlineUntil: '2026-03-31T12:00:00.000Z',
  });
  expect(of('warning')).toEqual([]);
});

test('a token that does not come keeps nobody waiting for long', async () => {
  const { client } = scripted(
    serving(() => new Promise(() => undefined)),
    wanted,
  );
  const started = performance.now();
  expect(await client.access()).toMatchObject({ allowed: true, offlineUntil: null });
  expect(performance.now() - started).toBeLessThan(8_000);
  await client.close();
});

test('tokens without a storage are lost with the process: that is a warning', async () => {
  const { client, of } = scripted(
    serving(() => ok({ token: token(), expiresAt: '2026-03-31T12:00:00.000Z' })),
    {
      ...wanted,
      storage: undefined,
    },
  );
  await client.access();
  expect(of('warning')).toMatchObject([{ code: 'NO_STORAGE' }]);
});
