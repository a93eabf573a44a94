import { sizeText } from '#kernel/size-words.ts';
import { storeScreen } from '#platform/admin/index.ts';
import { StoreDownloadView } from './schemas.ts';

/** The files of an order in the panel. */
export const downloadScreen = storeScreen(StoreDownloadView, {
  path: '/store/orders/{orderId}/downloads',
  area: 'store',
  nav: null,
  title: ({ fileName }) => fileName,
  columns: {
    fileName: { label: 'File', sort: 'name' },
    size: {
      label: 'Size',
      kind: 'number',
      value: ({ size, releaseChannel }) => (size === null ? `newest of ${releaseChannel}` : sizeText(size)),
    },
    used: {
      label: 'Used',
      kind: 'number',
      value: ({ downloadsUsed, maxDownloads }) =>
        maxDownloads === null ? `${downloadsUsed}` : `${downloadsUsed} of ${maxDownloads}`,
    },
    expiresAt: { label: 'Expires', kind: 'date' },
    lastDownloadAt: { label: 'Last download', kind: 'date' },
    revokedAt: { label: 'Revoked', kind: 'date' },
    isSuspended: { label: 'On hold' },
    createdAt: { label: 'Granted', kind: 'date', sort: 'created' },
  },
  labels: { downloads: 'More downloads', days: 'Days from now' },
  fields: {
    downloads: { help: 'Added to the remaining downloads. Leave empty to keep the number.' },
    days: { help: 'How many days from now the file can be downloaded. Leave empty to keep the current end.' },
  },
  verdicts: {
    give: (answer) => ({
      text: given((answer as { given?: number } | null)?.given ?? 0),
      isGood: true,
    }),
  },
  empty: {
    text: 'Files that the buyer of this order can download. Access starts when the order is paid.',
    docs: 'sell-files',
    cli: null,
  },
});

const given = (count: number): string =>
  count === 0 ? 'The order already has all files of its variants.' : `Files given: ${count}.`;
