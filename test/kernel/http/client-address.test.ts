// Addresses as they are limited and listed: one spelling each, networks, ranges (D16, M18).
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  clientAddressReader,
  containmentKey,
  inRanges,
  limitAddress,
  normalAddress,
  parseRange,
} from '#kernel/http/client-address.ts';

it.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:0a00:0001', '10.0.0.1'],
  ['2001:0DB8:0000::0001', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::1', '::1'],
  [undefined, '0.0.0.0'],
  ['', '0.0.0.0'],
  ['unknown', '0.0.0.0'],
])('%j is the address %s', (text, address) => {
  expect(normalAddress(text)).toBe(address);
});

it.each([
  ['10.0.0.1', '10.0.0.1', '10.0.0.0/16'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8::/32'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64', '2001:db8::/32'],
])('%s is limited as %s, and under pressure as %s', (address, key, coarse) => {
  expect([limitAddress(address), containmentKey(limitAddress(address))]).toEqual([key, coarse]);
});

describe('ranges', () => {
  it.each([
    ['10.0.0.0/8', ['10.255.255.255'], ['11.0.0.0']],
    ['10.0.0.1', ['10.0.0.1'], ['10.0.0.2']],
    ['10.0.0.1/32', ['10.0.0.1'], ['10.0.0.0']],
    ['10.0.0.77/24', ['10.0.0.1'], ['10.0.1.1']],
    ['::ffff:10.0.0.0/104', ['10.1.2.3'], ['11.0.0.0']],
    ['2001:db8::/127', ['2001:db8::1'], ['2001:db8::2', '10.0.0.1']],
  ])('%s', (text, inside, outside) => {
    const range = [parseRange(text)];
    for (const address of inside) expect(inRanges(address, range)).toBe(true);
    for (const address of outside) expect(inRanges(address, range)).toBe(false);
  });

  it.each([
    '10.0.0',
    '10',
    '0x7f.0.0.1',
    '010.0.0.1/33',
    '10.0.0.1/33',
    '10.0.0.1/-1',
    '10.0.0.1/8/8',
    '10.0.0.1/',
    '10.0.0.256',
    '::ffff:10.0.0.0/95',
    '2001:db8::/129',
    'fe80::1%eth0',
    'localhost',
    '*',
    '',
  ])('%j is refused', (text) => {
    expect(() => parseRange(text)).toThrow(RangeError);
  });

  it('none holds nothing, and what is no address is in none', () => {
    expect(inRanges('10.0.0.1', [])).toBe(false);
    expect(inRanges('nonsense', [parseRange('0.0.0.0/0'), parseRange('::/0')])).toBe(false);
  });
});

it('a proxy may write the port of its client, too', () => {
  const read = clientAddressReader(1);
  const of = (forwarded: string) =>
    read({
      headers: { 'x-forwarded-for': forwarded },
      socket: { remoteAddress: '127.0.0.1' },
    } as unknown as IncomingMessage);
  expect(
    ['192.0.2.7:4711', '[2001:db8::7]:4711', '[2001:db8::7]', '2001:db8::7', '192.0.2.7'].map(of),
  ).toEqual(['192.0.2.7', '2001:db8::7', '2001:db8::7', '2001:db8::7', '192.0.2.7']);
  expect(of('192.0.2.7:x')).toBe('0.0.0.0');
});
