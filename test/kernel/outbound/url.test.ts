// Spellings of addresses that a user may name (reliability M8, A111-A125).

import { describe, expect, test } from 'vitest';
import type { TargetRules } from '#kernel/outbound/types.ts';
import { parseTarget, TargetRefused } from '#kernel/outbound/url.ts';
import { targetRules } from '../../support/target-rules.ts';
import {
  closedPorts,
  insideNames,
  loopbackHosts,
  malformed,
  otherLocalHosts,
  privateHosts,
  publicHosts,
} from '../../support/target-spellings.ts';

const closed: TargetRules = targetRules({ allowHttp: false, openedRanges: [] });
const withHttp = targetRules({ allowHttp: true, openedRanges: [] });
const opened = targetRules({ allowHttp: false, openedRanges: ['127.0.0.0/8'] });

/** The address as it would be sent, or why it is not. */
function judged(text: string, rules = closed): string {
  try {
    return parseTarget(text, rules).href;
  } catch (error) {
    if (error instanceof TargetRefused) return `refused: ${error.reason}`;
    throw error;
  }
}

const LOOPBACK =
  /^refused: 127\.0\.0\.1 is an address of this machine; the operator can allow its range in webhooks\.allowed_private_cidrs$/;

describe('this machine in disguise (A111)', () => {
  test.each(loopbackHosts)('%s', (host) => {
    expect(judged(`https://${host}/`)).toMatch(LOOPBACK);
    expect(judged(`http://${host}:8080/`, withHttp)).toMatch(LOOPBACK);
  });

  test.each(otherLocalHosts)('%s', (host) =>
    expect(judged(`https://${host}/`)).toMatch(/^refused: \S+ is (an address of this|not a public)/),
  );
});

describe('private and special addresses (A113, A115, A117)', () => {
  test.each(privateHosts)('%s', (host) => expect(judged(`https://${host}/x`)).toMatch(/^refused: \S+ is /));

  test.each(publicHosts)('%s is public', (host) =>
    expect(judged(`https://${host}/x`)).toBe(`https://${host}/x`),
  );
});

describe('names of a private network (A117)', () => {
  test.each(insideNames)('%s', (host) => {
    const reason =
      / is a name of a private network; the operator can allow its range in webhooks\.allowed_private_cidrs$/;
    expect(judged(`https://${host}/`)).toMatch(reason);
    expect(judged(`http://${host}/`, withHttp)).toMatch(reason);
    // Whether it leads into an opened range is known after the look-up.
    expect(judged(`http://${host}/`, opened)).not.toContain('refused');
  });

  test.each([
    'localhost.example.com',
    'internal.example.com',
    'notlocal.example',
    'my_host.example.com',
    'xn--mnchen-3ya.de',
  ])('%s is none', (host) => expect(judged(`https://${host}/`)).toBe(`https://${host}/`));
});

describe('what is no address (A123, A125)', () => {
  test('an empty text', () => expect(judged('')).toMatch(/not an https URL/));

  test.each(malformed)('%j', (text, reason) => {
    expect(judged(text)).toMatch(/^refused: /);
    expect(judged(text)).toMatch(reason);
  });

  test('2,048 characters are taken, 2,049 are not, counted as typed and as sent', () => {
    const typed = (length: number) => 'https://example.com/'.padEnd(length, 'x');
    expect(judged(typed(2048))).toBe(typed(2048));
    expect(judged(typed(2049))).toBe('refused: the address is longer than 2048 characters');
    expect(judged(`https://example.com/${'ü'.repeat(400)}`)).toMatch(/longer than 2048/);
    expect(judged(`https://example.com/#${'x'.repeat(2048)}`)).toMatch(/longer than 2048/);
  });

  test('http is taken when it is allowed', () => {
    expect(judged('http://example.com/')).toMatch(
      /^refused: http is not allowed: use https; .* webhooks.allow_http/,
    );
    expect(judged('http://93.184.216.34/')).toMatch(/^refused: http is not allowed/);
    expect(judged('http://example.com/', withHttp)).toBe('http://example.com/');
    expect(judged('http://127.0.0.1:3000/', opened)).toBe('http://127.0.0.1:3000/');
    expect(judged('http://128.0.0.1:3000/', opened)).toMatch(/^refused: http is not allowed/);
    expect(judged('ftp://example.com/', withHttp)).toMatch(/not an http or https URL/);
  });

  test.each([
    ...['', ':443', ':80', ':1024', ':8443', ':65535'].map((port) => [port, true] as const),
    ...closedPorts.map((port) => [`:${port}`, false] as const),
  ])('port %j: %j', (port, isTaken) => {
    for (const [host, rules] of [
      ['example.com', closed],
      ['127.0.0.1', opened],
    ] as const) {
      const answer = judged(`https://${host}${port}/`, rules);
      if (isTaken) expect(answer).not.toContain('refused');
      else expect(answer).toMatch(/^refused: port \d+ is not allowed/);
    }
  });
});

test('the fragment is dropped and cannot hide the host (A123)', () => {
  expect(judged('https://good.example#@127.0.0.1/')).toBe('https://good.example/');
  expect(judged('https://good.example/?a=b@c#d')).toBe('https://good.example/?a=b@c');
  expect(judged('https://GOOD.example/Ä')).toBe('https://good.example/%C3%84');
});
