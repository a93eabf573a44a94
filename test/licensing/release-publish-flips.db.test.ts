// One bit that turned over in what is stored of a draft keeps it from being published (D93, licensing 6.3).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppError } from '#kernel/errors.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { changesBy } from '../support/database-changes.ts';
import { drafted, signedProduct } from './release-fixture.ts';

const EACH = 10;

let own: TestContext;
let draft: releases.Release;
beforeAll(async () => {
  own = await openTestContext();
  draft = await drafted(own.ctx, await signedProduct(own.ctx, 'editor'), '2.1.0');
});
afterAll(() => own.close());

/** The part with one bit of it turned over, spread over all of it. */
function flipped(whole: Buffer, i: number): Buffer {
  const copy = Buffer.from(whole);
  const bit = Math.floor((i * copy.length * 8) / EACH);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

/** What publishing says; `fine` when it publishes. */
async function publishing(): Promise<string> {
  try {
    await releases.publish(own.ctx, draft.id);
    return 'fine';
  } catch (error) {
    const { code, details } = error as AppError;
    return `${code} ${details?.reason}`;
  }
}

const columns = [
  ['signature', draftText('signature', 'base64'), 'BAD_SIGNATURE'],
  ['statement', draftText('statement', 'latin1'), 'STATEMENT_INVALID'],
  ['statement_signature', draftText('statementSignature', 'base64'), 'STATEMENT_INVALID'],
] as const;

function draftText(
  field: 'signature' | 'statement' | 'statementSignature',
  encoding: 'base64' | 'latin1',
): { read(): string; flip(i: number): string } {
  const read = () => String(draft[field]);
  return { read, flip: (i) => flipped(Buffer.from(read(), encoding), i).toString(encoding) };
}

test('of a signature or the statement, in the database', async () => {
  for (const [column, { read, flip }, reason] of columns) {
    for (let i = 0; i < EACH; i++) {
      await put(column, flip(i));
      const { result, changes } = await changesBy(own.database, publishing);
      expect([column, i, result]).toEqual([column, i, `VERIFICATION_FAILED ${reason}`]);
      expect(changes).toEqual({ events: [], rows: {} });
    }
    await put(column, read());
  }
});

const put = (column: string, text: string) =>
  own.database.transaction(async ({ knex }) =>
    knex('license_releases')
      .where({ id: draft.id })
      .update({ [column]: text }),
  );

test('of the bundle, on the disk; with all bits as they were it is published', async () => {
  const sha256 = String(draft.bundleSha256);
  const file = join(own.runtime.dataDir, 'bundles', sha256.slice(0, 2), sha256);
  const whole = readFileSync(file);
  for (let i = 0; i < EACH; i++) {
    writeFileSync(file, flipped(whole, i));
    expect([i, await publishing()]).toEqual([i, 'VERIFICATION_FAILED HASH_MISMATCH']);
  }
  writeFileSync(file, whole);
  expect(await publishing()).toBe('fine');
});
