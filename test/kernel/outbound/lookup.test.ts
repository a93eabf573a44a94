// How names become addresses: every answer passes, few look-ups at once, nobody waits beyond the deadline (M8, A119, A121).

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { checkTarget } from '#kernel/outbound/check.ts';
import {
  type Address,
  createResolver,
  NameUnresolved,
  type Resolver,
  resolveTarget,
} from '#kernel/outbound/lookup.ts';
import type { TargetRules } from '#kernel/outbound/types.ts';
import { parseTarget, TargetRefused } from '#kernel/outbound/url.ts';
import { targetRules } from '../../support/target-rules.ts';

const closed: TargetRules = targetRules({ allowHttp: true, openedRanges: [] });
const never = new AbortController().signal;
const PUBLIC = '93.184.216.34';

const addresses = (...ips: string[]): Address[] =>
  ips.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const answering =
  (...ips: string[]): Resolver =>
  async () =>
    addresses(...ips);
const failing =
  (code: string): Resolver =>
  async () => {
    throw Object.assign(new Error(code), { code });
  };
const resolve = (resolver: Resolver, rules = closed, url = 'https://hooks.example.com/') =>
  resolveTarget(parseTarget(url, rules), rules, resolver, never);
const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error) => (error instanceof TargetRefused ? error.reason : Promise.reject(error)),
  );

describe('answers', () => {
  test('that are public are all taken, in their order', async () => {
    const answers = addresses(PUBLIC, '2606:4700::1111', '8.8.8.8');
    expect(await resolve(async () => answers)).toEqual(answers);
  });

  test.each([
    ['10.0.0.1'],
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fd00:ec2::254'],
    ['64:ff9b::7f00:1'],
    ['fe80::1%2'],
  ])('%s refuses the name wherever it stands (A121)', async (ip) => {
    const reason = `hooks.example.com resolves to ${ip}, which is `;
    expect(await reasonOf(resolve(answering(ip)))).toContain(reason);
    expect(await reasonOf(resolve(answering(PUBLIC, ip)))).toContain(reason);
    expect(await reasonOf(resolve(answering(ip, PUBLIC)))).toContain(reason);
    expect(await reasonOf(resolve(answering('2606:4700::1111', PUBLIC, ip)))).toContain(reason);
  });

  test('are at most sixteen', async () => {
    const many = Array.from({ length: 17 }, (_, i) => `93.184.216.${i + 1}`);
    expect(await resolve(answering(...many.slice(1)))).toHaveLength(16);
    expect(await reasonOf(resolve(answering(...many)))).toBe(
      'hooks.example.com resolves to 17 addresses; at most 16 are allowed',
    );
  });

  test('that are none, and failures, are no refusal', async () => {
    for (const resolver of [answering(), failing('ENOTFOUND'), failing('EAI_AGAIN')]) {
      await expect(resolve(resolver)).rejects.toThrow(NameUnresolved);
    }
    await expect(resolve(failing('ENOTFOUND'))).rejects.toThrow(
      'hooks.example.com could not be resolved (ENOTFOUND)',
    );
  });

  test('nobody is asked about a literal', async () => {
    const asked = failing('asked');
    expect(await resolve(asked, closed, 'https://93.184.216.34/')).toEqual(addresses(PUBLIC));
    expect(await resolve(asked, closed, 'https://[2606:4700::1111]/')).toEqual(addresses('2606:4700::1111'));
  });
});

describe('with opened ranges', () => {
  const opened = targetRules({ allowHttp: false, openedRanges: ['10.0.0.0/8', '::1'] });
  test('http goes there and nowhere else', async () => {
    const url = 'http://hooks.example.com/';
    expect(await reasonOf(resolve(answering('10.0.0.1'), opened, url))).toBe('taken');
    expect(await reasonOf(resolve(answering('10.0.0.1', PUBLIC), opened, url))).toMatch(
      /^http is not allowed/,
    );
    expect(await reasonOf(resolve(answering(PUBLIC), { ...opened, allowHttp: true }, url))).toBe('taken');
    expect(await reasonOf(resolve(answering('192.168.0.1'), opened, url))).toMatch(/a private address/);
  });

  test('https goes there and to public addresses', async () => {
    expect(await reasonOf(resolve(answering('10.0.0.1', PUBLIC), opened))).toBe('taken');
    expect(await reasonOf(resolve(answering('10.0.0.1', '127.0.0.1'), opened))).toMatch(/of this machine/);
  });

  test('a name of a private network leads only there', async () => {
    const url = 'https://localhost/';
    expect(await reasonOf(resolve(answering('::1'), opened, url))).toBe('taken');
    expect(await reasonOf(resolve(answering('::1', PUBLIC), opened, url))).toBe(
      `localhost is a name of a private network but resolves to ${PUBLIC}, outside of webhooks.allowed_private_cidrs`,
    );
    expect(await reasonOf(resolve(answering('::1', '127.0.0.1'), opened, url))).toMatch(
      /127\.0\.0\.1, which is/,
    );
  });
});

/** Look-ups that end when the test says so. */
function heldLookups() {
  const held: { host: string; end(ips?: string[]): void; fail(): void }[] = [];
  const lookup = (host: string) =>
    new Promise<Address[]>((resolve, reject) => {
      const end = (ips = [PUBLIC]) => resolve(addresses(...ips));
      held.push({ host, end, fail: () => reject(new Error('failed')) });
    });
  return { held, resolver: createResolver(lookup, 2), hosts: () => held.map(({ host }) => host) };
}

describe('the resolver of a process', () => {
  test('asks for two names at a time, and for the next when one has ended or failed', async () => {
    const { held, resolver, hosts } = heldLookups();
    const all = ['a', 'b', 'c', 'd'].map((host) => resolver(host, never).catch(() => 'failed'));
    await turn();
    expect(hosts()).toEqual(['a', 'b']);
    held[1]?.fail();
    await turn();
    expect(hosts()).toEqual(['a', 'b', 'c']);
    held[0]?.end();
    held[2]?.end();
    await turn();
    held[3]?.end();
    expect(await Promise.all(all)).toEqual([
      addresses(PUBLIC),
      'failed',
      addresses(PUBLIC),
      addresses(PUBLIC),
    ]);
    const later = ['e', 'f', 'g'].map((host) => resolver(host, never));
    await turn();
    expect(hosts().slice(4)).toEqual(['e', 'f']);
    for (const one of held) one.end();
    await turn();
    held.at(-1)?.end();
    await Promise.all(later);
  });

  test('shares a look-up that runs, and asks anew when it has ended', async () => {
    const { held, resolver, hosts } = heldLookups();
    const both = [resolver('a', never), resolver('a', never)];
    await turn();
    expect(hosts()).toEqual(['a']);
    held[0]?.end();
    expect(await Promise.all(both)).toEqual([addresses(PUBLIC), addresses(PUBLIC)]);
    const again = resolver('a', never);
    await turn();
    held[1]?.end(['127.0.0.1']);
    expect(await again).toEqual(addresses('127.0.0.1'));
  });

  test('lets go of who gives up, and asks for nobody in vain', async () => {
    const { held, resolver, hosts } = heldLookups();
    const running = ['a', 'b'].map((host) => resolver(host, never));
    const giving = new AbortController();
    const left = resolver('c', giving.signal);
    const stays = resolver('d', giving.signal).catch(() => 'gave up');
    const shares = resolver('d', never);
    giving.abort(new Error('too late'));
    await expect(left).rejects.toThrow('too late');
    expect(await stays).toBe('gave up');
    for (const one of held) one.end();
    await Promise.all(running);
    await turn();
    expect(hosts()).toEqual(['a', 'b', 'd']);
    held[2]?.end();
    expect(await shares).toEqual(addresses(PUBLIC));
    const gone = resolver('e', AbortSignal.abort(new Error('before')));
    await expect(gone).rejects.toThrow('before');
  });
});

describe('at save', () => {
  const url = 'https://hooks.example.com/';
  test('a name that has no address now is unresolved', async () => {
    expect(await checkTarget(url, closed, answering(PUBLIC))).toBe('ok');
    expect(await checkTarget(url, closed, answering())).toBe('unresolved');
    for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'ESERVFAIL']) {
      expect(await checkTarget(url, closed, failing(code))).toBe('unresolved');
    }
  });

  test('a spelling, a literal and an answer that are refused are refused', async () => {
    expect(await reasonOf(checkTarget('https://127.1/', closed, answering(PUBLIC)))).toMatch(
      /of this machine/,
    );
    expect(await reasonOf(checkTarget('ftp://x.example/', closed, answering(PUBLIC)))).toMatch(
      /not an http or https/,
    );
    expect(await reasonOf(checkTarget(url, closed, answering(PUBLIC, '10.0.0.1')))).toMatch(/10\.0\.0\.1/);
    expect(await checkTarget('https://93.184.216.34/', closed, failing('asked'))).toBe('ok');
  });

  test('the system is asked for names', async () => {
    expect(await checkTarget('https://nobody.invalid/', closed)).toBe('unresolved');
    expect(
      await reasonOf(checkTarget('https://localhost/', { ...closed, openedRanges: ['10.0.0.0/8'] })),
    ).toMatch(/localhost resolves to \S+, which is an address of this machine/);
  });
});
