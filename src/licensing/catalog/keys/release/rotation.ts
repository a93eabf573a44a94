import type { Ctx } from '#kernel/context.ts';
import { keyIdOf, requirePublicKey, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import { localMinute } from '#kernel/local-time.ts';
import { fail } from '#licensing/contract/errors.ts';
import { openContinuity, signContinuity } from '#signing/keys/continuity.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import { lockProduct } from '../queries.ts';
import { openSeed } from '../sealed-seed.ts';
import { signingKeyEvents } from './events.ts';
import { type KeyOwner, publicKeyOf, shapeOf } from './registered-key.ts';
import { type NewKey, requireLabel, store, toldOf } from './registry.ts';
import * as repo from './repository.ts';

/** What a rotation needs to know. */
export interface Rotation {
  /** The key that shall take over: a new one, or one that the product has as NEXT. */
  readonly next: NewKey;
  /** When it takes over, ISO 8601 UTC. */
  readonly activateAt: string;
  /**
   * The private part of the ACTIVE key; or what it signed elsewhere, `continuity/<P>.<S>`, where it is; null when the
   * server holds it.
   */
  readonly old: SigningKey | string | null;
  /** Which key the caller takes for the ACTIVE one. */
  readonly oldKeyId?: string | undefined;
}

/** What a rotation made. */
export interface Rotated {
  readonly old: KeyShape;
  readonly next: KeyShape;
  /** `continuity/<P>.<S>`, signed by the old key. */
  readonly continuity: string;
}

/**
 * Plans that another key takes over from the ACTIVE one (licensing D98; decision 0026). The old key signs who comes
 * next and stays ACTIVE until then, so that it can sign a transition release whose application embeds both keys.
 *
 * @throws AppError CONFLICT with `details.reason` NO_ACTIVE_KEY, ROTATION_PLANNED, WRONG_KEY (`old` is another key than
 *   the ACTIVE one), KEY_ACTIVE or KEY_RETIRED (`next` is); VALIDATION_ERROR for a time that has passed, a long label,
 *   `old` missing while the server does not hold the key, or a statement about something else; Ed25519Error for a key
 *   that requirePublicKey refuses
 */
export async function rotate(ctx: Ctx, product: KeyOwner, rotation: Rotation): Promise<Rotated> {
  const { next, activateAt } = rotation;
  requireLabel(next.label);
  const publicKey = requirePublicKey(next.publicKey);
  if (activateAt <= ctx.now()) {
    throw fail('VALIDATION_ERROR', 'the time when the next key takes over has passed', {
      details: { activateAt, hint: 'choose a later time; without one the new key takes over in 30 days' },
    });
  }
  const judged = requireRotatable(await repo.listOfProduct(ctx, product.id), product, keyIdOf(publicKey));
  const continuity = continuityOf(ctx, product, judged.active, rotation);
  return ctx.tx(async (ctx) => {
    await lockProduct(ctx, product.id);
    const { active, known } = requireRotatable(
      await repo.listOfProduct(ctx, product.id),
      product,
      keyIdOf(publicKey),
    );
    requireSameKey(active, judged.active.keyId);
    const planned = { activateAt, continuity };
    if (known) await repo.plan(ctx, { id: known.id, ...planned });
    const row = known
      ? { ...known, ...planned }
      : await store(ctx, product, next, { status: 'NEXT', ...planned });
    await signingKeyEvents.tell(
      ctx,
      'SIGNING_KEY_ROTATION_PLANNED',
      row.id,
      {
        ...toldOf(row),
        oldKeyId: active.keyId,
        activateAt,
      },
      { before: known, after: row },
    );
    return { old: shapeOf(active), next: shapeOf(row), continuity };
  });
}

/**
 * Refuses a product that has no key to rotate from, or whose rotation is under way, before anything is made for it.
 *
 * @throws AppError CONFLICT with `details.reason` NO_ACTIVE_KEY or ROTATION_PLANNED
 */
export async function requireNoRotation(ctx: Ctx, product: KeyOwner): Promise<void> {
  requireRotatable(await repo.listOfProduct(ctx, product.id), product, '');
}

/** The ACTIVE key, and the row of the next one when the product has it already. */
function requireRotatable(
  rows: readonly repo.SigningKeyRow[],
  { slug }: KeyOwner,
  nextKeyId: string,
): { active: repo.SigningKeyRow; known: repo.SigningKeyRow | undefined } {
  const active = rows.find(({ status }) => status === 'ACTIVE');
  if (!active) {
    throw fail('CONFLICT', `the product ${slug} has no ACTIVE key to rotate from`, {
      details: { reason: 'NO_ACTIVE_KEY', hint: `appctl keys generate --product ${slug}` },
    });
  }
  const planned = rows.find(({ activateAt }) => activateAt !== null);
  if (planned) {
    const { keyId, activateAt } = planned;
    const when = localMinute(new Date(activateAt ?? ''));
    throw fail('CONFLICT', `a rotation is under way: the key ${keyId} takes over at ${when}`, {
      details: {
        reason: 'ROTATION_PLANNED',
        keyId,
        activateAt,
        hint: `it takes over automatically; to cancel: appctl keys retire ${keyId}`,
      },
    });
  }
  const known = rows.find(({ keyId }) => keyId === nextKeyId);
  if (known && known.status !== 'NEXT') {
    throw fail('CONFLICT', `the key ${nextKeyId} is ${known.status} and cannot become the next one`, {
      details: { reason: `KEY_${known.status}`, keyId: nextKeyId },
    });
  }
  return { active, known };
}

/** What the ACTIVE key says about the next one: signed here, or verified. */
function continuityOf(
  ctx: Ctx,
  product: KeyOwner,
  active: repo.SigningKeyRow,
  { next: { publicKey }, activateAt, old, oldKeyId }: Rotation,
): string {
  if (oldKeyId !== undefined) requireSameKey(active, oldKeyId);
  const wanted = { product: product.slug, next: publicKey, activateAt };
  if (typeof old === 'string') return requireStatement(active, old, wanted);
  if (old !== null) requireSameKey(active, old.keyId);
  return signContinuity(wanted, old ?? heldSigner(ctx, active), ctx.now());
}

function requireStatement(
  active: repo.SigningKeyRow,
  text: string,
  { product, next, activateAt }: { product: string; next: Buffer; activateAt: string },
): string {
  const said = openContinuity(text, publicKeyOf(active));
  const isMeant = said?.product === product && said.activateAt === activateAt && said.next === keyIdOf(next);
  if (isMeant) return text;
  throw fail(
    'VALIDATION_ERROR',
    `continuity: is not what the ACTIVE key ${active.keyId} signed about this key`,
    {
      details: {
        keyId: active.keyId,
        hint: 'sign the slug of the product, the next key and activateAt with the ACTIVE key',
      },
    },
  );
}

function heldSigner(ctx: Ctx, active: repo.SigningKeyRow): SigningKey {
  if (active.privateKey !== null)
    return signingKeyOf(openSeed(ctx, { ...active, privateKey: active.privateKey }));
  throw fail(
    'VALIDATION_ERROR',
    `the server does not hold the private part of the ACTIVE key ${active.keyId}`,
    {
      details: { reason: 'NOT_HELD', keyId: active.keyId, hint: 'give its file: --key FILE' },
    },
  );
}

function requireSameKey(active: repo.SigningKeyRow, keyId: string): void {
  if (active.keyId === keyId) return;
  throw fail('CONFLICT', `the key ${keyId} is not the ACTIVE one, which is ${active.keyId}`, {
    details: { reason: 'WRONG_KEY', keyId, activeKeyId: active.keyId },
  });
}
