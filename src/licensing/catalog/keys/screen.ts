import { screen } from '#platform/admin/index.ts';
import { publicForms, rotation } from './tabs.ts';
import { ListedOnlineKeyView, RegisteredKeyView } from './view.ts';

/** Keys that sign releases, in the panel (admin.md 5.5). */
export const signingKeyScreen = screen(RegisteredKeyView, {
  path: '/admin/signing-keys',
  words: 'signature ed25519 rotate',
  area: 'licensing',
  order: 100,
  title: ({ keyId }) => keyId,
  columns: {
    keyId: { label: 'Key' },
    product: { sort: 'product' },
    status: {},
    label: {},
    fingerprint: { hidden: true },
    serverHeld: { label: 'Private key on the server' },
    createdAt: { label: 'Created', sort: 'created' },
  },
  facts: {
    keyId: { label: 'Key' },
    product: {
      kind: 'text',
      link: ({ productId }) => `/admin/products/${encodeURIComponent(productId)}`,
    },
    status: {},
    label: {},
    signatures: { label: 'Releases signed' },
    serverHeld: { label: 'Private key on the server' },
    activateAt: { label: 'Takes over', kind: 'date' },
    createdAt: { label: 'Created', kind: 'date' },
  },
  tabs: {
    public: { label: 'Public key', template: 'licensing/keys/public', load: publicForms },
    rotation: { label: 'Rotation', template: 'licensing/keys/rotation', load: rotation },
  },
  empty: {
    text: 'A signing key proves that a release is yours. Its private key stays on your machine.',
    docs: 'rotate-a-signing-key',
    cli: 'appctl keys generate --product SLUG --out FILE',
  },
});

/** Keys in the server that sign offline tokens and answers: reached from their product. */
export const onlineKeyScreen = screen(ListedOnlineKeyView, {
  path: '/admin/online-keys',
  area: 'licensing',
  nav: null,
  title: ({ keyId }) => keyId,
  columns: {
    keyId: { label: 'Key' },
    product: { kind: 'text', sort: 'product' },
    status: {},
    delegatedUntil: {
      label: 'Delegated until',
      kind: 'date',
      value: ({ delegation }) => delegation?.expiresAt,
    },
    createdAt: { label: 'Created', sort: 'created' },
  },
  empty: {
    text: 'An online key signs offline tokens and answers while a delegation by a signing key is valid.',
    docs: 'offline-licenses',
    cli: 'appctl keys online create --product SLUG',
  },
});
