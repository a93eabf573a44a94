// Which bytes a request for content asks for (RFC 9110, sections 13 and 14; licensing D92).
import { describe, expect, it } from 'vitest';
import { portionOf } from '#kernel/http/conditions.ts';

const etag = '"abc"';
const of = (headers: Record<string, string>, method = 'GET', size = 100) => {
  const portion = portionOf(method, headers, { etag, size });
  return portion.start === undefined ? portion.status : [portion.status, portion.start, portion.end];
};
const whole = [200, 0, 99];

describe('Range', () => {
  it.each([
    ['bytes=0-', [206, 0, 99]],
    ['bytes=0-0', [206, 0, 0]],
    ['bytes=10-19', [206, 10, 19]],
    ['bytes=99-99', [206, 99, 99]],
    ['bytes=99-', [206, 99, 99]],
    ['bytes=0-99', [206, 0, 99]],
    ['bytes=0-100', [206, 0, 99]],
    [`bytes=5-${'9'.repeat(400)}`, [206, 5, 99]],
    ['bytes=-1', [206, 99, 99]],
    ['bytes=-100', [206, 0, 99]],
    ['bytes=-101', [206, 0, 99]],
    ['BYTES=10-19', [206, 10, 19]],
    ['bytes=100-', 416],
    ['bytes=100-200', 416],
    [`bytes=${'9'.repeat(400)}-`, 416],
    ['bytes=-0', 416],
  ])('%s of 100 bytes', (range, expected) => {
    expect(of({ range })).toEqual(expected);
  });

  it.each([
    ...['bytes=-', 'bytes=', 'bytes', '', '0-5', 'bytes=a-b', 'bytes=1-2x', 'bytes=1.5-2', 'bytes=0x1-0x2'],
    ...['bytes=-1-2', 'bytes=9-5', 'items=0-5', 'bytes=0-1,5-6', 'bytes=0-0,', 'bytes=١-٢'],
    ...['bytes= 1-2', 'bytes=1 - 2', `bytes=${' '.repeat(16_000)}`],
  ])('%j is ignored: malformed, of another unit, or of several parts', (range) => {
    expect(of({ range })).toEqual(whole);
  });

  it('counts for GET alone', () => {
    expect(of({ range: 'bytes=5-9' }, 'HEAD')).toEqual(whole);
    expect(of({ range: 'bytes=100-' }, 'HEAD')).toEqual(whole);
  });

  it('is never satisfied by content without bytes', () => {
    for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) expect(of({ range }, 'GET', 0)).toBe(416);
    expect(of({}, 'GET', 0)).toEqual([200, 0, -1]);
  });
});

describe('If-Range', () => {
  const range = 'bytes=10-19';
  it('keeps the range for the same content only, and compares strongly', () => {
    expect(of({ range, 'if-range': etag })).toEqual([206, 10, 19]);
    for (const other of ['"abd"', 'W/"abc"', 'abc', '', 'Sat, 29 Oct 1994 19:43:31 GMT'])
      expect(of({ range, 'if-range': other })).toEqual(whole);
  });

  it('saves a resume from 416 when the content is another one', () => {
    expect(of({ range: 'bytes=500-', 'if-range': '"old"' })).toEqual(whole);
  });

  it('alone means nothing', () => {
    expect(of({ 'if-range': '"abd"' })).toEqual(whole);
  });
});

describe('If-None-Match', () => {
  it.each(['"abc"', '*', ' * ', 'W/"abc"', '"x", "abc"', '"x" ,W/"abc", "y"', '"a,b","abc"'])(
    '%s names the content',
    (list) => {
      expect(of({ 'if-none-match': list })).toBe(304);
      expect(of({ 'if-none-match': list }, 'HEAD')).toBe(304);
      expect(of({ 'if-none-match': list, range: 'bytes=0-1' })).toBe(304);
    },
  );

  it.each(['"x"', 'abc', '', '"abcd"', '"x,"abc', 'W/"x"', '"*"'])('%j does not', (list) => {
    expect(of({ 'if-none-match': list })).toEqual(whole);
  });
});

describe('If-Match', () => {
  it('lets pass what names the content, and compares strongly', () => {
    for (const list of ['"abc"', '*', '"x", "abc"']) expect(of({ 'if-match': list })).toEqual(whole);
    for (const list of ['"x"', 'W/"abc"', '', 'abc']) expect(of({ 'if-match': list })).toBe(412);
  });

  it('comes before If-None-Match and Range', () => {
    expect(of({ 'if-match': '"x"', 'if-none-match': etag, range: 'bytes=500-' })).toBe(412);
    expect(of({ 'if-match': etag, 'if-none-match': etag })).toBe(304);
  });
});
