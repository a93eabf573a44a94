// The scripted DNS server, asked by Node's own resolver.
import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DnsServer, startDnsServer } from './dns-server.ts';

let server: DnsServer;
const resolver = new Resolver({ timeout: 200, tries: 1 });
beforeAll(async () => {
  server = await startDnsServer({
    names: {
      'both.test': { addresses: ['93.184.216.34', '10.0.0.1', '::ffff:127.0.0.1'] },
      'flip.test': (n) => ({ addresses: [n === 0 ? '93.184.216.34' : '127.0.0.1'] }),
      'alias.test': { via: ['next.test', 'inside.test'], addresses: ['10.0.0.1'] },
      'many.test': { addresses: Array.from({ length: 17 }, (_, i) => `93.184.216.${i + 1}`) },
      'late.test': { addresses: ['93.184.216.34'], delayMs: 20 },
      'empty.test': {},
      'broken.test': { code: 'SERVFAIL' },
      'silent.test': { silent: true },
      'cut.test': { truncated: true },
    },
  });
  resolver.setServers([`127.0.0.1:${server.port}`]);
});
afterAll(() => server.close());

test('addresses answer the question they belong to', async () => {
  expect(await resolver.resolve4('both.test')).toEqual(['93.184.216.34', '10.0.0.1']);
  expect(await resolver.resolve6('both.test')).toEqual(['::ffff:127.0.0.1']);
  expect(await resolver.resolve4('many.test')).toHaveLength(17);
  expect(await resolver.resolve4('late.test', { ttl: true })).toEqual([{ address: '93.184.216.34', ttl: 0 }]);
});

test('a name flips between questions, and can be given another script', async () => {
  const ask = async () => (await resolver.resolve4('flip.test'))[0];
  expect([await ask(), await ask()]).toEqual(['93.184.216.34', '127.0.0.1']);
  server.script('flip.test', (n) => ({ addresses: [`10.0.0.${n}`] }));
  expect([await ask(), await ask()]).toEqual(['10.0.0.0', '10.0.0.1']);
  expect(server.asked.filter(({ name, type }) => name === 'flip.test' && type === 'A')).toHaveLength(4);
});

test('an alias leads to the addresses', async () => {
  expect(await resolver.resolve4('alias.test')).toEqual(['10.0.0.1']);
  expect(await resolver.resolveCname('alias.test')).toContain('next.test');
});

test.each([
  ['nobody.test', 'ENOTFOUND'],
  ['empty.test', 'ENODATA'],
  ['broken.test', 'ESERVFAIL'],
  ['silent.test', 'ETIMEOUT'],
  ['cut.test', 'ECONNREFUSED'],
])('%s fails with %s', async (name, code) => {
  await expect(resolver.resolve4(name)).rejects.toMatchObject({ code });
});
