// Tokens of forms, and what a browser says of where a form came from (M16).
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { keyringOf } from '#kernel/crypto.ts';
import { createCsrfTokens, isFromElsewhere } from '#kernel/http/csrf.ts';
import { newSessionId, readSessionId } from '#kernel/http/session-id.ts';

const tokens = createCsrfTokens(keyringOf(randomBytes(32)));
const id = newSessionId('guest', Date.parse('2026-03-01T12:00:00.900Z'));

describe('a token', () => {
  it('is another one on each page, and each belongs to its session', () => {
    const [first, second] = [tokens.tokenOf(id), tokens.tokenOf(id)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^[\w-]{86}$/);
    expect([first, second].map((token) => tokens.accepts(id, token))).toEqual([true, true]);
  });

  const right = tokens.tokenOf(id);
  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one that was cut', right.slice(0, -1)],
    ['one with more behind', `${right}A`],
    ['one with a changed letter', right.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
    ['one with a changed mask', right.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['padding', `${right.slice(0, -2)}==`],
    ['only zeros', 'A'.repeat(86)],
    ['that of another session', tokens.tokenOf(newSessionId('guest', 0))],
    ['that of another installation', createCsrfTokens(keyringOf(randomBytes(32))).tokenOf(id)],
    ['the id of the session', id],
  ])('%s is refused', (_what, token) => {
    expect(tokens.accepts(id, token)).toBe(false);
  });
});

describe('where a form comes from', () => {
  const elsewhere = (headers: Record<string, string>, baseUrl = 'https://x.test') =>
    isFromElsewhere({ headers: { host: 'x.test', ...headers } } as unknown as IncomingMessage, baseUrl);

  it.each([
    ['nothing is said', {}],
    ['the same origin', { 'sec-fetch-site': 'same-origin', origin: 'https://x.test' }],
    ['typed by somebody', { 'sec-fetch-site': 'none' }],
    ['a page that tells no address, of this site', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['the address that the browser asked for', { host: 'X.test:8443', origin: 'https://x.test:8443' }],
  ])('here: %s', (_what, headers) => {
    expect(elsewhere(headers)).toBe(false);
  });

  it('here: an installation without a public address, by any of its names', () => {
    const headers = { host: '10.0.0.5:8480', origin: 'http://10.0.0.5:8480' };
    expect(elsewhere(headers, 'http://127.0.0.1:8480')).toBe(false);
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another subdomain', { 'sec-fetch-site': 'same-site', origin: 'https://x.test' }],
    ['another origin', { origin: 'https://evil.test' }],
    ['another port', { origin: 'https://x.test:1' }],
    ['plain http', { origin: 'http://x.test' }],
    ['a name that only begins like ours', { origin: 'https://x.test.evil.test' }],
    ['no address, and no word of the browser', { origin: 'null' }],
    ['no address, from elsewhere', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['something that is no origin', { origin: 'x.test' }],
  ])('elsewhere: %s', (_what, headers) => {
    expect(elsewhere(headers)).toBe(true);
  });
});

describe('an id of a session', () => {
  it('says its kind and the second of its issue, and nothing else of itself', () => {
    expect(readSessionId(id)).toEqual({ kind: 'guest', issuedMs: Date.parse('2026-03-01T12:00:00.000Z') });
    expect(readSessionId(newSessionId('user', 0))).toEqual({ kind: 'user', issuedMs: 0 });
    expect(newSessionId('guest', 0)).not.toBe(newSessionId('guest', 0));
  });

  it.each(['', 'g', 'x.1.AAAA', `a${id.slice(1)}`, id.slice(0, -1), `${id}A`, `${id}\n`])(
    '%j is none',
    (text) => {
      expect(readSessionId(text)).toBeNull();
    },
  );
});
