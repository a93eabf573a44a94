// A launch that runs into a rate limit is told of by doctor, status, the API key and license why, with the cure.
import { expect, test } from 'vitest';
import { openHttpClient } from '../support/http-client.ts';
import { useServiceLife } from './service-life.ts';

const life = useServiceLife();
const { appctl, json } = life;

const COMMAND = /^appctl apikey update (key_\w+) --limit write=150\/15m$/;

interface Key {
  id: string;
  secret: string;
  refusals: { bucket: string; limit: string; count: number; firstAt: string; command: string }[];
}
interface Found {
  checks: { status: string; message: string; hint: string | null }[];
}

async function prepare() {
  await appctl(['setup', '--no-input', '--owner-email', 'o@x.test', '--generate-password', '--json']);
  const words = ['apikey', 'create', '--service', 'license', '--name', 'app', '--scope', 'VALIDATE_ONLY'];
  return (await json(words)) as unknown as Key;
}

const doctor = async () =>
  (await appctl(['doctor', 'license.rate-limits', '--json'])).stdout.trim() || '{"checks":[]}';
const finding = async () => (JSON.parse(await doctor()) as Found).checks[0];
const show = async (id: string) => (await json(['apikey', 'show', id])) as unknown as Key;

test('twenty customers activate through one embedded key, and five are refused', {
  timeout: 60_000,
}, async () => {
  const { id, secret } = await prepare();
  const { url } = await life.serve();
  const client = openHttpClient(url);
  const activate = (n: number) => {
    const body = { licenseKey: 'APP-0000-0000-0000-0000', machineId: `machine-${n}-000` };
    return client.send('/api/v1/license/activate', { key: secret, body });
  };
  expect(await finding()).toMatchObject({ status: 'ok', hint: null });
  expect((await show(id)).refusals).toEqual([]);
  const replies = [];
  for (let n = 1; n <= 20; n++) replies.push(await activate(n));
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(5);

  const found = await finding();
  expect(found).toMatchObject({ status: 'warn', hint: expect.stringMatching(COMMAND) });
  expect(found?.message).toMatch(
    /^rate limits refused 5 requests: 5 of API key key_\w+ \(app\) by write \(15 per 15m\) since \d{4}-\d\d-\d\d \d\d:\d\d .+$/,
  );
  const status = (await json(['status'])) as { warnings: string[] };
  expect(status.warnings).toContainEqual(
    expect.stringMatching(
      /^the write limit \(15 per 15m\) refused 5 requests of API key key_\w+ \(app\) since \d{4}-.+: appctl apikey update/,
    ),
  );
  const shown = await show(id);
  expect(shown.refusals).toMatchObject([
    { bucket: 'write', limit: '15 per 15m', count: 5, command: expect.stringMatching(COMMAND) },
  ]);
  const forPerson = await appctl(['apikey', 'show', id]);
  expect(forPerson.stdout).toMatch(
    /^refusals +5 by write \(15 per 15m\) since \d{4}-\d\d-\d\d \d\d:\d\d .+$/m,
  );
  expect(forPerson.stderr).toContain(`Next: ${shown.refusals[0]?.command}`);

  const requestId = String(refused[0]?.body.requestId);
  expect(await json(['license', 'why', requestId])).toMatchObject({
    status: 429,
    bucket: 'write',
    refusal: { who: `API key ${id} (app)`, limit: '15 per 15m', count: 5 },
  });
  const why = await appctl(['license', 'why', requestId]);
  expect(why.stdout).toMatch(/^limit +write, 15 per 15m$/m);
  expect(why.stdout).toMatch(/^refused +5 requests of API key key_\w+ \(app\) since /m);
  expect(why.stderr).toContain(`Next: ${shown.refusals[0]?.command}`);

  // The command as it is printed cures it, for the server that runs.
  expect((await activate(21)).status).toBe(429);
  const [, , ...words] = String(found?.hint).split(' ');
  expect((await appctl(['apikey', ...words])).code).toBe(0);
  const cured = await activate(22);
  expect([cured.status, cured.headers['ratelimit-limit']]).toEqual([404, '150']);
  client.close();
});

test('an address that runs into a limit by address is told with the setting that raises it', async () => {
  const { url } = await life.serve();
  const client = openHttpClient(url);
  const path = '/api/v1/updates/check';
  for (let n = 0; n < 62; n++) await client.send(path);
  client.close();
  const { warnings } = (await json(['status'])) as { warnings: string[] };
  const command = 'appctl settings set licensing.limits.update_check.max 600';
  expect(warnings).toContainEqual(
    expect.stringMatching(
      /^the update_check limit \(60 per 15m\) refused 2 requests of address 127\.0\.0\.1 since /,
    ),
  );
  const found = await finding();
  expect(found?.hint).toContain(command);
  expect(found?.message).toContain('2 of address 127.0.0.1 by update_check (60 per 15m) since ');
});
