// What every test of releases has at hand: a database, a product with a key in use, and the stored files.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { refusalOf } from '../support/refusal.ts';
import { signedProduct, sourceOf } from './release-fixture.ts';

/** Filled before the tests of the file that calls `releaseWorld`. */
export interface ReleaseWorld {
  own: TestContext;
  /** `editor`, whose releases are signed with the first key of the fixture. */
  product: products.Product;
  /** How often a change of a release of the product was told to who remembers them. */
  releasesVersion(): Promise<number>;
  attach(id: string, bytes: Buffer, filename?: string | null): Promise<releases.Release>;
  /** Where the bytes of a bundle lie, to reach them behind the back of the program. */
  stored(bytes: Buffer): string;
}

/** Opens a database for the tests of a file and closes it after them. */
export function releaseWorld(): ReleaseWorld {
  const world = {} as ReleaseWorld;
  beforeAll(async () => {
    const own = await openTestContext();
    const product = await signedProduct(own.ctx, 'editor');
    const made: ReleaseWorld = {
      own,
      product,
      async releasesVersion() {
        const where = { id: product.id };
        const row = await own.database.db.knex('license_products').where(where).first('releases_version');
        return Number(row.releases_version);
      },
      attach: (id, bytes, filename = 'app.zip') =>
        releases.attachBundle(own.ctx, id, { filename, source: sourceOf(bytes) }),
      stored(bytes) {
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return join(own.runtime.dataDir, 'bundles', sha256.slice(0, 2), sha256);
      },
    };
    Object.assign(world, made);
  });
  afterAll(() => world.own.close());
  return world;
}

/** Code and reason of a refusal, as `CONFLICT NOT_DRAFT`. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  const { code, details } = await refusalOf(work);
  return `${code} ${details.reason}`;
}
