import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';

/** What of a release tells whether it leads from one key to the next. `publishedAt` is ISO 8601 UTC. */
export interface SignedRelease {
  readonly version: string;
  readonly channel: ReleaseChannel;
  /** Empty: any. */
  readonly platform: string;
  readonly arch: string;
  readonly publishedAt: string;
  /** Whether it is offered, and not withdrawn. */
  readonly isOffered: boolean;
}

type Row = Omit<SignedRelease, 'publishedAt' | 'isOffered'> & { state: string; published_at: string };

const signedBy = statement<{ productId: string; keyId: string; now: string }, Row>((knex, p) =>
  knex('license_releases')
    .where({ product_id: p('productId'), key_id: p('keyId') })
    .whereNot({ state: 'DRAFT' })
    .where('published_at', '<=', p('now'))
    .orderBy(['published_at', 'id'])
    .select('version', 'channel', 'platform', 'arch', 'state', 'published_at'),
);

/** Releases of a product that a key signed and that clients were offered, oldest first. */
export async function listSignedBy(ctx: Ctx, productId: string, keyId: string): Promise<SignedRelease[]> {
  const rows = await signedBy.all(ctx.db, { productId, keyId, now: ctx.now() });
  return rows.map(({ version, channel, platform, arch, state, published_at }) => ({
    version,
    channel,
    platform,
    arch,
    publishedAt: published_at,
    isOffered: state === 'PUBLISHED',
  }));
}
