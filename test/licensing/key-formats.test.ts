import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alternativeKey,
  canonicalKey,
  keyPrefix,
  keyShape,
  maskKey,
  maskUnseen,
} from '#licensing/catalog/key-formats/canonical.ts';
import {
  alphabets,
  DEFAULT_KEY_FORMAT,
  entropyBits,
  formatFault,
  type KeyFormat,
  keyLength,
} from '#licensing/catalog/key-formats/format.ts';
import { checksumHolds, generateKey } from '#licensing/catalog/key-formats/generate.ts';
import { checkCharacter, luhnHolds } from '#licensing/catalog/key-formats/luhn.ts';
import {
  KeyFormatCreate,
  KeyFormatPreviewBody,
  keyFormatOf,
} from '#licensing/catalog/key-formats/schemas.ts';
import { always } from '../support/property.ts';

const format = (over: Partial<KeyFormat>): KeyFormat => ({ ...DEFAULT_KEY_FORMAT, ...over });
const source = (length: number): Uint8Array => randomBytes(length);

describe('format', () => {
  it.each([
    [{}, 80, 23],
    [{ checksum: 'LUHN' }, 75, 23],
    [{ alphabet: 'HEX' }, 64, 23],
    [{ alphabet: 'HEX', checksum: 'LUHN' }, 60, 23],
    [{ alphabet: 'HEX', checksum: 'LUHN', segments: 5 }, 76, 28],
    [{ prefix: 'AB', segments: 19 }, 380, 97],
    [{ prefix: 'ABCDE', segments: 19 }, 380, 100],
    [{ prefix: 'ABCDEF', segments: 19 }, 380, 101],
  ] as const)('%j has %i bits and %i characters', (over, bits, length) => {
    expect(entropyBits(format(over))).toBe(bits);
    expect(keyLength(format(over))).toBe(length);
    expect(formatFault(format(over)) === null).toBe(bits >= 64 && length <= 100);
  });

  it('ALNUM36 has a little more than Crockford', () => {
    expect(entropyBits(format({ alphabet: 'ALNUM36' }))).toBeCloseTo(82.7, 1);
  });

  it.each([
    [{ name: 'A', prefix: 'ACME', segments: 4 }, true],
    [{ name: 'A', prefix: 'ACME', segments: 4, segmentLength: 4, alphabet: 'HEX', checksum: 'NONE' }, true],
    [{ name: 'A', prefix: 'ACME', segments: 4, alphabet: 'HEX', checksum: 'LUHN' }, false],
    [{ name: 'A', prefix: 'A', segments: 4 }, false],
    [{ name: 'A', prefix: 'AB', segments: 4 }, true],
    [{ name: 'A', prefix: 'ABCDEFGHIJ', segments: 4 }, true],
    [{ name: 'A', prefix: 'ABCDEFGHIJK', segments: 4 }, false],
    [{ name: 'A', prefix: 'acme', segments: 4 }, false],
    [{ name: 'A', prefix: 'AC-E', segments: 4 }, false],
    [{ name: 'A', prefix: 'ACME', segments: 3 }, false],
    [{ name: 'A', prefix: 'ACME', segments: 19 }, true],
    [{ name: 'A', prefix: 'AB', segments: 20 }, false],
    [{ name: 'A', prefix: 'ACME', segments: 21 }, false],
    [{ name: 'A', prefix: 'ACME', segments: 4, segmentLength: 5 }, false],
    [{ name: 'A', prefix: 'ACME', segments: 4, alphabet: 'BASE64' }, false],
    [{ name: 'A', prefix: 'ACME', segments: 4, typo: 1 }, false],
    [{ name: '', prefix: 'ACME', segments: 4 }, false],
    [{ prefix: 'ACME', segments: 4 }, false],
  ])('%j is accepted: %s', (input, accepted) => {
    expect(KeyFormatCreate.safeParse(input).success).toBe(accepted);
  });

  it('a preview needs no name and fills the defaults', () => {
    const input = KeyFormatPreviewBody.parse({ prefix: 'ACME', segments: 5 });
    expect(keyFormatOf(input)).toEqual({ ...DEFAULT_KEY_FORMAT, prefix: 'ACME', segments: 5 });
  });
});

const anyFormat = fc
  .record({
    prefix: fc.stringMatching(/^[A-Z0-9]{2,10}$/),
    segments: fc.integer({ min: 4, max: 18 }),
    segmentLength: fc.constant(4 as const),
    alphabet: fc.constantFrom('CROCKFORD32', 'HEX', 'ALNUM36'),
    checksum: fc.constantFrom('NONE', 'LUHN'),
  })
  .filter((candidate) => formatFault(candidate) === null);

describe('generateKey', () => {
  it('gives keys of the default format', () => {
    expect(generateKey(DEFAULT_KEY_FORMAT, source)).toMatch(/^APP(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
  });

  it('gives keys of the announced length, alphabet and check character, with a recognised prefix', () => {
    always(
      fc.property(anyFormat, (chosen) => {
        const key = generateKey(chosen, source);
        const body = key.slice(chosen.prefix.length + 1).replaceAll('-', '');
        expect(key).toHaveLength(keyLength(chosen));
        expect([...body].every((character) => alphabets[chosen.alphabet].includes(character))).toBe(true);
        expect(checksumHolds(key, chosen)).toBe(true);
        expect(keyShape(key)).toBe(true);
        expect(canonicalKey(key)).toBe(key);
        expect(keyPrefix(key)).toBe(key.slice(0, chosen.prefix.length + 5));
      }),
    );
  });

  it('uses every byte alike: a byte beyond the last whole alphabet is drawn again', () => {
    const bytes = [252, 255, 0, 35, 36, 251];
    const queue = (length: number) => Uint8Array.from({ length }, () => bytes.shift() ?? 1);
    expect(generateKey(format({ alphabet: 'ALNUM36' }), queue)).toBe('APP-0Z0Z-1111-1111-1111');
    // 256 is a multiple of 32: nothing is thrown away.
    const high = (length: number) => new Uint8Array(length).fill(255);
    expect(generateKey(DEFAULT_KEY_FORMAT, high)).toBe('APP-ZZZZ-ZZZZ-ZZZZ-ZZZZ');
  });

  it('reaches every character equally often over all bytes', () => {
    for (const alphabet of ['CROCKFORD32', 'HEX', 'ALNUM36'] as const) {
      let next = 0;
      const counting = (length: number) => Uint8Array.from({ length }, () => next++ % 256);
      const counts = new Map<string, number>();
      // 16 characters a key: a multiple of all rounds of the accepted bytes.
      for (let round = 0; round < 252 * 8; round++) {
        for (const character of generateKey(format({ alphabet }), counting).slice(4).replaceAll('-', '')) {
          counts.set(character, (counts.get(character) ?? 0) + 1);
        }
      }
      expect(counts.size).toBe(alphabets[alphabet].length);
      expect(new Set(counts.values()).size).toBe(1);
    }
  });
});

describe('Luhn', () => {
  it('agrees with the known decimal example', () => {
    expect(checkCharacter('7992739871', '0123456789')).toBe('3');
    expect(luhnHolds('79927398713', '0123456789')).toBe(true);
  });

  it.each(Object.values(alphabets))('finds every single wrong character over %s', (alphabet) => {
    const body = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 30 });
    always(
      fc.property(body, fc.nat(), fc.integer({ min: 1, max: alphabet.length - 1 }), (text, place, shift) => {
        const good = text + checkCharacter(text, alphabet);
        const at = place % good.length;
        const wrong = alphabet[(alphabet.indexOf(good[at] as string) + shift) % alphabet.length];
        return (
          luhnHolds(good, alphabet) && !luhnHolds(good.slice(0, at) + wrong + good.slice(at + 1), alphabet)
        );
      }),
    );
  });

  it('refuses foreign characters, nothing at all, and an odd alphabet', () => {
    expect(luhnHolds('12A', '0123456789')).toBe(false);
    expect(luhnHolds('', '0123456789')).toBe(false);
    expect(luhnHolds('0', '0123456789')).toBe(false);
    expect(() => checkCharacter('A', '0123456789')).toThrow(RangeError);
    expect(() => checkCharacter('1', '012')).toThrow(RangeError);
  });

  it('leaves the prefix out', () => {
    const luhn = format({ checksum: 'LUHN' });
    const key = generateKey(luhn, source);
    expect(checksumHolds(key.replace('APP', 'XYZ'), luhn)).toBe(true);
  });
});

describe('spelling of keys', () => {
  it.each([
    ['APP-7F3K-9QRS', true],
    ['app7f3k', true],
    ['', false],
    ['APP_7F3K', false],
    ['APP 7F3K', false],
    ['APP-7F3K\n', false],
    ['ÄPP-7F3K', false],
    ['APP–7F3K', false],
    ["' OR 1=1 --", false],
  ])('%j has the characters of a key: %s', (key, shaped) => {
    expect(keyShape(key)).toBe(shaped);
  });

  it.each([
    ['APP-7F3K-9QRS', null],
    ['APP-OF3K-9QIL', 'APP-0F3K-9Q11'],
    ['OIL-OILX', 'OIL-011X'],
    ['OIL-0011', null],
    ['NOHYPHENOIL', null],
    ['A-O', 'A-0'],
    ['', null],
  ])('%s is also looked up as %s', (canonical, alternative) => {
    expect(alternativeKey(canonical)).toBe(alternative);
  });

  it('a typed key of the default format comes back, whatever case and look-alikes were typed', () => {
    always(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.boolean(), (bytes, lower) => {
        const key = generateKey(DEFAULT_KEY_FORMAT, (length) => bytes.slice(0, length));
        const head = key.slice(0, 4);
        const tail = key.slice(4).replaceAll('0', 'O').replaceAll('1', 'I');
        const typed = ` ${lower ? (head + tail).toLowerCase() : head + tail}\t`;
        const canonical = canonicalKey(typed);
        return (alternativeKey(canonical) ?? canonical) === key;
      }),
    );
  });

  it('a second alternative never exists', () => {
    always(
      fc.property(fc.stringMatching(/^[A-Z0-9-]{10,40}$/), (key) => {
        const alternative = alternativeKey(key);
        return alternative === null || alternativeKey(alternative) === null;
      }),
    );
  });

  it.each([
    ['APP-7F3K-9QRS-1234-ABCD', 'APP-7F3K', 'APP-7F3K-****-****-****'],
    ['ABCDEFGHIJ-7F3K-9QRS-1234-ABCD', 'ABCDEFGHIJ-7F3K', 'ABCDEFGHIJ-7F3K-****-****-****'],
    ['app-7f3k-9qrs-1234-abcd', 'app-7f3k', 'app-7f3k-****-****-****'],
    ['AB-CDEF-GHIJ', 'AB-C', 'AB-C****'],
    ['8f14e45f-ceea-467f-a8b5-0d9c3f1a2b4c', '8f14e45f-', '8f14e45f-****'],
    ['ABCDEFGHIJ', 'ABC', 'ABC****'],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZA', 'ABCDEFGHI', 'ABCDEFGHI****'],
    ['APP-7F3K-9QRS-1234-ABCDE', 'APP-7F3K', 'APP-7F3K****'],
  ])('%s shows %s and %s', (key, prefix, masked) => {
    expect(keyPrefix(key)).toBe(prefix);
    expect(maskKey(key)).toBe(masked);
  });

  it('a key that stays sealed is masked as it would be when opened, or not at all', () => {
    const segment = fc.stringMatching(/^[A-Z0-9]{4}$/);
    const shaped = fc
      .tuple(fc.stringMatching(/^[A-Z0-9]{2,10}$/), fc.array(segment, { minLength: 4, maxLength: 20 }))
      .map(([prefix, segments]) => [prefix, ...segments].join('-'));
    always(
      fc.property(fc.oneof(shaped, fc.stringMatching(/^[A-Z0-9-]{3,100}$/)), (key) =>
        [null, maskKey(key)].includes(maskUnseen(keyPrefix(key), key.length)),
      ),
    );
    expect(maskUnseen('APP-7F3K', 23)).toBe('APP-7F3K-****-****-****');
    expect(maskUnseen('ABCD-7F3K', 29)).toBeNull();
  });

  it('what is shown leaves most of a key unknown, and fits its column', () => {
    always(
      fc.property(fc.stringMatching(/^[A-Za-z0-9-]{10,100}$/), (key) => {
        const prefix = keyPrefix(key);
        return key.startsWith(prefix) && prefix.length <= 15 && prefix.length <= key.length / 2 + 1;
      }),
    );
  });
});
