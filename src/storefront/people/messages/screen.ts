import { storeScreen } from '#platform/admin/index.ts';
import { MessageView } from './view.ts';

/** Messages of the contact form in the panel. */
export const messageScreen = storeScreen(MessageView, {
  path: '/store/messages',
  area: 'store',
  order: 70,
  title: ({ subject, email }) => subject ?? email,
  columns: {
    createdAt: { label: 'Received', sort: 'created' },
    email: {},
    name: {},
    subject: {},
    status: { tone: ({ status }) => (status === 'open' ? 'info' : 'muted') },
  },
  facts: {
    status: { tone: ({ status }) => (status === 'open' ? 'info' : 'muted') },
    name: {},
    email: {},
    subject: {},
    message: {},
    locale: { label: 'Language', kind: 'code' },
    createdAt: { label: 'Received', kind: 'date' },
    doneAt: { label: 'Done', kind: 'date' },
    id: {},
  },
  views: [
    { name: 'Open', query: 'status=open' },
    { name: 'Done', query: 'status=done' },
  ],
  undo: { done: 'reopen', reopen: 'done' },
  empty: {
    text: 'Messages from /shop/contact appear here.',
    docs: 'open-a-shop',
    cli: null,
  },
});
