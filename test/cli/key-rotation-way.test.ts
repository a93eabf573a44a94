// What `keys rotate` tells a person: what to do now and later, and why (licensing D98).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer('product create --name Guide --slug guide'.split(' '));
  await it.answer('keys generate --product guide --no-passphrase'.split(' '));
});
afterAll(() => it.remove());

test('the way is told, and no command that leaves clients behind is proposed', async () => {
  const { code, stdout, stderr } = await it.inside(
    'keys rotate --product guide --key guide.key --no-passphrase'.split(' '),
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^private key +guide\.next\.key, NOT ENCRYPTED$/m);
  expect(stderr).toMatch(/^Why: installed programs trust only the keys/m);
  expect(stderr).toMatch(/^Now: embed both public keys in the next version/m);
  expect(stderr).toMatch(
    /^\d{4}-\d\d-\d\d .*\(in (29|30) days\): the new key takes over automatically, once such a version is published/m,
  );
  expect(stderr).toMatch(/^After that: sign with guide\.next\.key, and set --min-from of the first release/m);
  expect(stderr).toMatch(
    /^Next: appctl release ship FILE --product guide --version VERSION --key guide\.key$/m,
  );
  expect(stderr).not.toContain('keys activate');
});

test('a second rotation says that one is under way, before its files come up', async () => {
  const { code, stderr } = await it.inside(
    'keys rotate --product guide --key guide.key --no-passphrase'.split(' '),
  );
  expect(code).toBe(5);
  expect(stderr).toMatch(
    /^error: a rotation is under way: the key \w{16} takes over at \d{4}-\d\d-\d\d \d\d:\d\d /m,
  );
  expect(stderr).toMatch(/^hint: .*appctl keys retire \w{16}$/m);
});

test('a public key in place of the private one is named as such', async () => {
  const { code, stderr } = await it.inside('keys rotate --product guide --key guide.pub'.split(' '));
  expect(code).toBe(2);
  expect(stderr).toContain('error: guide.pub is not a private key: it contains a public key');
  expect(stderr).toContain('hint: pass guide.key instead');
});

test('without a published release nobody is left behind, and nothing is said of it', async () => {
  const { items } = await it.answer<{ items: { keyId: string; status: string }[] }>(
    'keys list --product guide'.split(' '),
  );
  const next = items.find(({ status }) => status === 'NEXT')?.keyId ?? '';
  const { code, stderr } = await it.inside(['keys', 'activate', next, '--yes']);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/bridges from key|stranded|no more updates/);
});

test('the next command opens the old key as this one did, and the new one is said to be encrypted', async () => {
  const env = { OLD: 'old pass' };
  await it.answer('product create --name Sealed'.split(' '));
  await it.answer('keys generate --product sealed --passphrase-env OLD'.split(' '), { env });
  const { stdout, stderr } = await it.inside(
    'keys rotate --product sealed --key sealed.key --passphrase-env OLD'.split(' '),
    { env },
  );
  expect(stdout).toMatch(/^private key +sealed\.next\.key, encrypted$/m);
  expect(stderr).toMatch(/^Next: appctl release ship FILE .* --key sealed\.key --passphrase-env OLD$/m);
});
