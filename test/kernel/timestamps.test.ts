import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { instant, timestamp } from '#kernel/http/fields.ts';
import { parseTimestamp } from '#kernel/http/rfc3339.ts';
import { always } from '../support/property.ts';

const ok = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const document = (schema: z.ZodType, io: 'input' | 'output' = 'input') =>
  z.toJSONSchema(schema, { target: 'openapi-3.0', io });

describe('timestamp', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.1Z', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02T03:04:05.123999Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05+02:30', '2026-01-02T00:34:05.000Z'],
    ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59-00:01', '1970-01-01T00:00:59.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['1969-12-31T23:59:59.999Z', null],
    ['1970-01-01T00:00:00+00:01', null],
    ['9999-12-31T23:59:59-00:01', null],
    ['0000-01-01T00:00:00Z', null],
    ['0070-01-01T00:00:00Z', null],
    ['10000-01-01T00:00:00Z', null],
    ['2026-01-02', null],
    ['2026-01-02T03:04:05', null],
    ['2026-01-02T03:04Z', null],
    ['2026-01-02 03:04:05Z', null],
    ['2026-01-02T03:04:05.Z', null],
    ['2026-01-02T03:04:05+0230', null],
    ['2026-01-02T03:04:05+24:00', null],
    ['2026-01-02T03:04:05+02:60', null],
    ['2026-02-29T00:00:00Z', null],
    ['1900-02-29T00:00:00Z', null],
    ['2026-04-31T00:00:00Z', null],
    ['2026-00-10T00:00:00Z', null],
    ['2026-13-10T00:00:00Z', null],
    ['2026-01-00T00:00:00Z', null],
    ['2026-01-32T00:00:00Z', null],
    ['2026-01-02T24:00:00Z', null],
    ['2026-01-02T23:60:00Z', null],
    ['2026-01-02T23:59:60Z', null],
    [' 2026-01-02T03:04:05Z', null],
    ['2026-01-02T03:04:05Z\n', null],
    [`2026-01-02T03:04:05.${'1'.repeat(200)}Z`, null],
    ['tomorrow', null],
    ['', null],
  ])('%j reads as %j', (input, output) => {
    expect(parseTimestamp(input)).toBe(output);
    const result = timestamp().safeParse(input);
    expect(result.success ? result.data : null).toBe(output);
  });

  it('refuses numbers and shows its format', () => {
    expect(ok(timestamp(), 1767323045000)).toBe(false);
    expect(document(timestamp())).toEqual({ type: 'string', format: 'date-time' });
    expect(document(timestamp(), 'output')).toEqual({ type: 'string', format: 'date-time' });
  });

  it('leaves the stored form as it is, and reads every offset of one instant alike', () => {
    const instants = fc.date({
      min: new Date(86_400_000),
      max: new Date(253_402_214_400_000),
      noInvalidDate: true,
    });
    always(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const hours = String(Math.trunc(Math.abs(offset) / 60)).padStart(2, '0');
        const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
        const shifted = parseTimestamp(`${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`);
        return parseTimestamp(date.toISOString()) === date.toISOString() && shifted === date.toISOString();
      }),
    );
  });
});

describe('instant', () => {
  it('is the stored form only', () => {
    expect(ok(instant(), '2026-01-02T03:04:05.000Z')).toBe(true);
    expect(ok(instant(), '2026-01-02T03:04:05Z')).toBe(false);
    expect(document(instant(), 'output')).toEqual({ type: 'string', format: 'date-time' });
  });
});
