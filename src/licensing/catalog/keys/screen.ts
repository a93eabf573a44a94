import { screen } from '#platform/admin/index.ts';
import { RegisteredKeyView } from './view.ts';

/** Keys that sign releases, in the panel (admin.md 5.5). */
export const signingKeyScreen = screen(RegisteredKeyView, {
  path: '/admin/signing-keys',
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
  empty: {
    text: 'A signing key proves that a release is yours. Its private part stays on your own machine.',
    docs: 'rotate-a-signing-key',
    cli: 'appctl keys generate --product SLUG --out FILE',
  },
});
