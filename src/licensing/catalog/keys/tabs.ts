import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { localMinute } from '#kernel/local-time.ts';
import { minisignPublicKey } from '#signing/keys/minisign-key.ts';
import { signingKeyRows } from './queries.ts';
import { bridgesTo } from './release/succession.ts';
import { type RegisteredKeyView, signingKeyView } from './view.ts';

/** A public key in each form that verifiers read. */
export async function publicForms(_ctx: Ctx, key: RegisteredKeyView): Promise<Record<string, unknown>> {
  const { publicKey, publicKeyPem, minisignId, keyId, fingerprint } = key;
  const bytes = Buffer.from(publicKey, 'base64');
  return {
    fingerprint,
    forms: [
      { label: 'Base64', text: publicKey, about: 'Embedded in clients; also the value of --pubkey.' },
      { label: 'PEM', text: publicKeyPem.trimEnd(), about: 'For OpenSSL and most libraries.' },
      {
        label: 'minisign',
        text: minisignPublicKey(bytes, minisignId ?? undefined).trimEnd(),
        about: 'For minisign and Tauri.',
      },
    ],
    exportCommand: `appctl keys export ${keyId} --public --out ${key.product}.pub`,
  };
}

/** More keys than a product has in its life. */
const MOST_KEYS = 100;

/** Where the rotation of a product's key stands, seen from one of its keys. */
export async function rotation(ctx: Ctx, key: RegisteredKeyView): Promise<Record<string, unknown>> {
  const filters = { productId: [key.productId] };
  const found = await signingKeyRows.page(ctx, { filters, offset: 0, limit: MOST_KEYS });
  const items = found.items.map(signingKeyView);
  const next = items.find(({ status }) => status === 'NEXT') ?? null;
  const active = items.find(({ status }) => status === 'ACTIVE') ?? null;
  const leading = next && (await bridgesTo(ctx, next.keyId, key.productId));
  return {
    slug: key.product,
    minuteOf: (iso: string) => localMinute(new Date(iso)),
    maySwitch: allows(ctx.actor, 'licensing:secrets'),
    active,
    next,
    retired: items.filter(({ status }) => status === 'RETIRED'),
    bridges: leading?.bridges.releases ?? [],
    stranded: leading?.bridges.stranded ?? [],
    step: next === null ? 'plan' : leading && leading.bridges.stranded.length > 0 ? 'bridge' : 'activate',
  };
}
