import { command, screen } from '#platform/admin/index.ts';
import { KeyFormatView } from './view.ts';

/** Key formats in the panel (admin.md 5.5). */
export const keyFormatScreen = screen(KeyFormatView, {
  path: '/admin/key-formats',
  area: 'licensing',
  order: 80,
  title: ({ name }) => name,
  columns: {
    name: {},
    sample: { kind: 'code', value: ({ samples }) => samples[0] },
    entropyBits: { label: 'Bits of entropy' },
    alphabet: {},
    checksum: {},
    usedBy: { label: 'Products' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  links: [{ label: 'Try a format', href: '/admin/key-formats/try', needs: 'licensing:read' }],
  without: ['preview'],
  initial: { segments: 4, segmentLength: 4 },
  duplicate: { without: ['name', 'prefix'] },
  commands: {
    create: command('keyformat create', { flags: { segmentLength: () => [] } }),
    remove: command('keyformat delete', { confirm: 'yes' }),
  },
  empty: {
    text: 'A key format defines what license keys look like. Without one they use the default format.',
    docs: 'sell-licenses',
    cli: 'appctl keyformat create --name NAME --prefix ACME',
  },
});
