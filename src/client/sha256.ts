// SHA-256 of what comes piece by piece (FIPS 180-4): WebCrypto wants all of it at once, and bundles are large.
import type { Bytes } from './bytes.ts';

const BLOCK_BYTES = 64;
/** Where the length stands in the last block: 8 bytes, big endian. */
const LENGTH_PLACE = 56;

/** First 32 bits of the fractions of the cube roots of the first 64 primes. */
const ROUNDS = Int32Array.from(
  wordsOf(
    '428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5' +
      'd807aa9812835b01243185be550c7dc372be5d7480deb1fe9bdc06a7c19bf174' +
      'e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da' +
      '983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca635114292967' +
      '27b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e92722c85' +
      'a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa070' +
      '19a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3' +
      '748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2',
  ),
);
/** First 32 bits of the fractions of the square roots of the first 8 primes. */
const START = wordsOf('6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19');

/** A hash under way. */
export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** The 32 bytes; the hash cannot be used any more. */
  digest(): Bytes;
}

/** Begins a hash. */
export function createSha256(): Sha256 {
  const state = START.slice();
  const words = new Int32Array(64);
  const rest = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  let total = 0;
  const add = (bytes: Uint8Array): void => {
    let place = 0;
    if (filled > 0) {
      place = Math.min(BLOCK_BYTES - filled, bytes.length);
      rest.set(bytes.subarray(0, place), filled);
      filled += place;
      if (filled < BLOCK_BYTES) return;
      compress(state, words, rest, 0);
    }
    for (; place + BLOCK_BYTES <= bytes.length; place += BLOCK_BYTES) compress(state, words, bytes, place);
    rest.set(bytes.subarray(place));
    filled = bytes.length - place;
  };
  return {
    update(bytes) {
      total += bytes.length;
      add(bytes);
    },
    digest() {
      add(paddingOf(total, filled));
      const out = new Uint8Array(32);
      const view = new DataView(out.buffer);
      for (const [index, word] of state.entries()) view.setUint32(index * 4, word);
      return out;
    },
  };
}

/** A one bit, zeros, and the number of bits, up to the end of a block. */
function paddingOf(total: number, filled: number): Uint8Array {
  const length = (filled < LENGTH_PLACE ? BLOCK_BYTES : 2 * BLOCK_BYTES) - filled;
  const padding = new Uint8Array(length);
  padding[0] = 0x80;
  const view = new DataView(padding.buffer);
  // The number of bits may need more than the 32 bits that operators of the language work on.
  view.setUint32(length - 8, Math.floor(total / 2 ** 29));
  view.setUint32(length - 4, (total << 3) >>> 0);
  return padding;
}

/** One block into the state; `words` is room that is used again for every block. */
function compress(state: Uint32Array, words: Int32Array, bytes: Uint8Array, place: number): void {
  expand(words, bytes, place);
  let a = (state[0] as number) | 0;
  let b = (state[1] as number) | 0;
  let c = (state[2] as number) | 0;
  let d = (state[3] as number) | 0;
  let e = (state[4] as number) | 0;
  let f = (state[5] as number) | 0;
  let g = (state[6] as number) | 0;
  let h = (state[7] as number) | 0;
  for (let round = 0; round < 64; round += 1) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const chosen = g ^ (e & (f ^ g));
    const first = (h + sum1 + chosen + (ROUNDS[round] as number) + (words[round] as number)) | 0;
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & (b | c)) | (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  // Numbers beyond 32 bits are cut by the array.
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}

/** The 64 words of a block. */
function expand(words: Int32Array, bytes: Uint8Array, place: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = wordAt(bytes, place + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] as number;
    const late = words[index - 2] as number;
    const sum0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const sum1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[index] = ((words[index - 16] as number) + sum0 + (words[index - 7] as number) + sum1) | 0;
  }
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number);

function wordsOf(text: string): Uint32Array {
  return Uint32Array.from(text.match(/.{8}/g) ?? [], (word) => Number.parseInt(word, 16));
}
