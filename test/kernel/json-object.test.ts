import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuesOf, optional } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { always } from '../support/property.ts';

const ok = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const fault = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value);
  return result.success ? null : issuesOf(result.error.issues);
};
const document = (schema: z.ZodType, io: 'input' | 'output' = 'input') =>
  z.toJSONSchema(schema, { target: 'openapi-3.0', io });

describe('jsonObject', () => {
  const bounds = { maxKeys: 3, maxKeyLength: 4, maxValueLength: 10 };
  const schema = jsonObject(bounds);

  it.each([
    ['{}', true],
    ['{"a":1,"b":null,"c":true}', true],
    ['{"a":1,"b":1,"c":1,"d":1}', false],
    ['{"":1}', false],
    ['{"abcd":1}', true],
    ['{"abcde":1}', false],
    ['{"😀😀😀😀":1}', true],
    ['{"a":"0123456789"}', true],
    ['{"a":"01234567890"}', false],
    ['{"a":"😀😀😀😀😀😀😀😀😀😀"}', true],
    ['{"a":[1,2,3,4]}', true],
    ['{"a":[1,2,3,4,5]}', false],
    ['{"a":"\\u0000"}', false],
    ['{"a":["\\u0000"]}', false],
    ['{"a":{"\\u0000":1}}', false],
    ['{"a":"\\ud800"}', false],
    ['[]', false],
    ['null', false],
    ['"text"', false],
  ])('%s is accepted: %s', (json, accepted) => {
    expect(ok(schema, JSON.parse(json))).toBe(accepted);
  });

  it('keeps __proto__ as a key and reaches no prototype', () => {
    const wide = jsonObject({ ...bounds, maxKeyLength: 9 });
    const value = wide.parse(JSON.parse('{"__proto__":{"x":1},"b":2}'));
    expect(Object.keys(value)).toEqual(['__proto__', 'b']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { x?: unknown }).x).toBeUndefined();
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"b":2}');
  });

  it('takes own properties only, and only what JSON can carry', () => {
    expect(schema.parse(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
    expect(ok(schema, Object.create({ inherited: 1 }))).toBe(false);
    expect(ok(schema, new Date(0))).toBe(false);
    expect(ok(schema, { a: Number.NaN })).toBe(false);
    expect(ok(schema, { a: undefined })).toBe(false);
    expect(ok(schema, { a: () => 1 })).toBe(false);
    expect(ok(schema, { a: 1n })).toBe(false);
  });

  it('refuses deep nesting without running out of stack', () => {
    const wide = jsonObject({ ...bounds, maxValueLength: 1_000_000 });
    const nested = (levels: number) => JSON.parse(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
    expect(ok(wide, nested(32))).toBe(true);
    expect(ok(wide, nested(33))).toBe(false);
    expect(ok(wide, nested(5000))).toBe(false);
  });

  it('names the key at fault and gives a copy', () => {
    expect(fault(z.object({ m: schema }), { m: { a: 'x'.repeat(11) } })).toEqual([
      { path: 'm.a', rule: 'too_big', message: 'must have at most 10 characters as text' },
    ]);
    expect(fault(z.object({ m: schema }), {})).toEqual([
      { path: 'm', rule: 'required', message: 'is required' },
    ]);
    const input = { a: 1 };
    expect(schema.parse(input)).not.toBe(input);
  });

  it('is an object in the document', () => {
    const shape = {
      type: 'object',
      additionalProperties: true,
      maxProperties: 3,
      description: expect.stringMatching(/^At most 3 keys of 1 to \d+ characters; a value has at most \d+ /),
    };
    expect(document(schema)).toEqual(shape);
    expect(document(z.object({ m: optional(schema) })).properties?.m).toEqual({ ...shape, nullable: true });
  });

  it('returns what JSON carried', () => {
    const any = jsonObject({ maxKeys: 1000, maxKeyLength: 1000, maxValueLength: 100_000 });
    always(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 4 })), (object) => {
        const json = JSON.stringify(object);
        if (/\\u0000|\\ud[89a-f]/i.test(json)) return;
        expect(JSON.stringify(any.parse(JSON.parse(json)))).toBe(json);
      }),
    );
  });
});
