import type { z } from 'zod';
import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { focalTab } from './focal.ts';
import { MediaView } from './view.ts';

type Standing = Pick<z.output<typeof MediaView>, 'status' | 'failure'>;

/** With the reason where nothing could be made: it says what to do. */
const statusOf = ({ status, failure }: Standing): string => {
  if (status === 'failed') return failure === null ? 'Failed' : `Failed: ${failure}`;
  return status === 'processing' ? 'Processing' : 'Ready';
};

const TONES = { ready: 'ok', processing: 'info', failed: 'bad' } as const;
const toneOf = ({ status }: Standing): Tone => TONES[status];

/** The pictures of the shop in the panel. */
export const mediaScreen = storeScreen(MediaView, {
  path: '/store/media',
  words: 'images photos upload',
  area: 'content',
  order: 10,
  title: ({ fileName }) => fileName,
  columns: {
    // An item is led to by its first column, which must be a text.
    fileName: { label: 'File', sort: 'name' },
    preview: { label: 'Picture', kind: 'image', value: ({ variants }) => variants?.thumbnail.url ?? null },
    status: { kind: 'status', value: statusOf, tone: toneOf },
    alt: { label: 'Description' },
    usages: {
      label: 'Used by',
      kind: 'tags',
      value: ({ usages }) => usages.map(({ title }) => title),
    },
    bytes: { label: 'Size', kind: 'bytes', sort: 'size' },
    folder: { hidden: true },
    createdAt: { label: 'Uploaded', sort: 'created' },
  },
  labels: { focalX: 'Focal point from the left (%)', focalY: 'Focal point from the top (%)' },
  facts: {
    preview: { label: 'Picture', kind: 'image', value: ({ variants }) => variants?.medium.url ?? null },
    status: { kind: 'status', value: statusOf, tone: toneOf },
    alt: { label: 'Description' },
    folder: {},
    usages: {
      label: 'Used by',
      kind: 'tags',
      value: ({ usages }) => usages.map(({ title }) => title),
    },
    mime: { label: 'Type' },
    measures: { label: 'Pixels', value: ({ width, height }) => `${width} × ${height}` },
    bytes: { label: 'Size', kind: 'bytes' },
    focal: { label: 'Focal point', value: ({ focalX, focalY }) => `${focalX} % / ${focalY} %` },
    createdAt: { label: 'Uploaded', kind: 'date' },
    id: {},
  },
  fields: {
    alt: {
      label: 'Description',
      help: "Read to people who can't see the picture. Leave empty if it is only decorative.",
    },
    folder: { help: 'Your own word to find pictures by.' },
    focalX: {
      help: '0 is the left edge, 100 the right edge. This point stays visible when the picture is cropped.',
    },
    focalY: { help: '0 is the top, 100 the bottom.' },
    force: {
      label: 'Remove it everywhere it is used',
      help: 'Removes it from products, categories, collections and option values. Pictures in the settings must be changed there.',
    },
    quality: { help: '1 to 100. Leave empty for the quality in the settings.' },
  },
  tabs: {
    focal: { label: 'Focal point', template: 'store/media-focal', load: focalTab },
    replace: { label: 'Replace file', needs: 'media:write', href: ({ id }) => `/store/media/${id}/replace` },
  },
  links: [
    { label: 'Upload pictures', href: '/store/media/upload', needs: 'media:write' },
    { label: 'Rebuild all sizes', href: '/store/media/rebuild', needs: 'media:write' },
  ],
  views: [
    { name: 'Processing', query: 'status=processing' },
    { name: 'Failed', query: 'status=failed' },
  ],
  empty: {
    text: 'Upload pictures here or on a product page. The shop creates the sizes that its pages need.',
    docs: 'glossary',
    cli: null,
  },
});
