// Which addresses a user may name: every range at both edges (reliability M8, A113, A115).
import { describe, expect, test } from 'vitest';
import { isRange } from '#kernel/http/client-address.ts';
import { describeAddress, isAllowed } from '#kernel/outbound/addresses.ts';

/** [the last address before, first, last, the first one behind]; empty: there is none, or it is refused as well. */
const refused4 = [
  ['this network', '', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10/8', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['carrier-grade NAT', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['loopback', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['link-local', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.16/12', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['protocol assignments', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['documentation 1', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['AS112', '192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['AMT', '192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['6to4 relays', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.168/16', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['direct AS112', '192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['benchmarks', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['documentation 2', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['documentation 3', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['multicast', '223.255.255.255', '224.0.0.0', '239.255.255.255', ''],
  ['reserved and broadcast', '', '240.0.0.0', '255.255.255.255', ''],
] as const;

const last = 'ffff:ffff:ffff:ffff:ffff:ffff';
const refused6 = [
  ['unspecified and loopback', '', '::', '::1', ''],
  ['IPv4-compatible', '', '::7f00:1', '::ffff:ffff', ''],
  ['NAT64', '', '64:ff9b::', '64:ff9b::8.8.8.8', ''],
  ['local NAT64', '', '64:ff9b:1::', `64:ff9b:1:${last.slice(5)}`, ''],
  ['discard', '', '100::', '100::ffff:ffff:ffff:ffff', ''],
  ['below global unicast', '', '1fff::', `1fff:ffff:${last}`, '2000::'],
  ['protocol assignments', '2000:ffff::', '2001::', `2001:1ff:${last}`, '2001:200::'],
  ['documentation', `2001:db7:${last}`, '2001:db8::', `2001:db8:${last}`, '2001:db9::'],
  ['6to4', `2001:ffff:${last}`, '2002::', `2002:ffff:${last}`, '2003::'],
  [
    'AS112',
    '2620:4f:7fff:ffff::',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8001::',
  ],
  ['documentation 2', `3ffe:ffff:${last}`, '3fff::', `3fff:fff:${last}`, '3fff:1000::'],
  ['above global unicast', `3fff:ffff:${last}`, '4000::', `5eff:ffff:${last}`, ''],
  ['segment routing', '', '5f00::', `5f00:ffff:${last}`, ''],
  ['unique local', '', 'fc00::', `fdff:ffff:${last}`, ''],
  ['link-local', '', 'fe80::', `febf:ffff:${last}`, ''],
  ['site-local', '', 'fec0::', `feff:ffff:${last}`, ''],
  ['multicast', '', 'ff00::', `ffff:ffff:${last}`, ''],
] as const;

describe('a range that is not public', () => {
  test.each([...refused4, ...refused6])('%s', (_name, before, first, final, behind) => {
    expect([first, final].map((ip) => isAllowed(ip, []))).toEqual([false, false]);
    expect([before, behind].filter(Boolean).filter((ip) => !isAllowed(ip, []))).toEqual([]);
  });

  test.each(refused4)('%s, written as IPv6', (_name, before, first, final, behind) => {
    const mapped = (ip: string) => `::ffff:${ip}`;
    expect([first, final].map((ip) => isAllowed(mapped(ip), []))).toEqual([false, false]);
    expect([before, behind].filter(Boolean).filter((ip) => !isAllowed(mapped(ip), []))).toEqual([]);
  });
});

test.each(['8.8.8.8', '93.184.216.34', '172.15.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (ip) => expect(isAllowed(ip, [])).toBe(true),
);

test.each(['2002:7f00:1::', '2001:0:7f00:1::', '64:ff9b::7f00:1', '::ffff:7f00:1', '::ffff:0:127.0.0.1'])(
  '%s leads to an IPv4 address and is refused (A115)',
  (ip) => expect(isAllowed(ip, [])).toBe(false),
);

test.each([
  '',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '8.8.8',
  '8.8.8.8 ',
  'fe80::1%eth0',
  '2606:4700::1%1',
  'x',
])('%j is no address', (ip) =>
  expect([isAllowed(ip, []), isAllowed(ip, ['0.0.0.0/0', '::/0'])]).toEqual([false, false]),
);

describe('an opened range', () => {
  test('opens itself at both edges and nothing else', () => {
    const opened = ['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7'];
    const inside = [
      '10.1.0.0',
      '10.1.255.255',
      'fd00:1::',
      'fd00:1:ffff::1',
      '192.168.7.7',
      '::ffff:10.1.2.3',
    ];
    const outside = [
      '10.0.255.255',
      '10.2.0.0',
      'fd00::1',
      'fd00:2::',
      '192.168.7.6',
      '192.168.7.8',
      '127.0.0.1',
      '::1',
    ];
    expect(inside.filter((ip) => !isAllowed(ip, opened))).toEqual([]);
    expect(outside.filter((ip) => isAllowed(ip, opened))).toEqual([]);
  });

  test('of all IPv4 leaves IPv6 closed', () => {
    expect([isAllowed('127.0.0.1', ['0.0.0.0/0']), isAllowed('::1', ['0.0.0.0/0'])]).toEqual([true, false]);
  });

  test.each([
    ['10.0.0.0/8', true],
    ['10.0.0.1', true],
    ['fd00::/8', true],
    ['::ffff:10.0.0.0/104', true],
    ['0.0.0.0/0', true],
    ['10.0.0.0/33', false],
    ['10.0/8', false],
    ['10.0.0.0/8/8', false],
    ['fe80::%eth0/10', false],
    ['::ffff:10.0.0.0/80', false],
    ['localhost', false],
    ['', false],
    ['10.0.0.0/-1', false],
  ])('is written %j: %j', (text, fits) => expect(isRange(text)).toBe(fits));
});

test.each([
  ['10.0.0.1', 'a private address'],
  ['fd00::1', 'a private address'],
  ['127.0.0.1', 'an address of this machine'],
  ['0.0.0.0', 'an address of this machine'],
  ['::1', 'an address of this machine'],
  ['::ffff:127.0.0.1', 'an address of this machine'],
  ['169.254.169.254', 'a link-local address'],
  ['100.64.0.1', 'an address of carrier-grade NAT'],
  ['2001:db8::1', 'not a public address'],
  ['fe80::1%eth0', 'not a public address'],
])('%s is %s', (ip, kind) => expect(describeAddress(ip)).toBe(kind));
