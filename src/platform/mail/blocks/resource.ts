import { adminResource, storeScreen } from '../../admin/index.ts';
import { lift } from './blocks.ts';
import { blockRows } from './queries.ts';
import type { Block } from './record.ts';
import { BlockView, blockView } from './view.ts';

const screen = storeScreen(BlockView, {
  path: '/store/settings/email-blocks',
  area: 'store',
  order: 906,
  nav: 'Blocked addresses',
  title: ({ address }) => address,
  columns: {
    createdAt: { label: 'Blocked', kind: 'date', sort: 'created' },
    address: {},
    reason: {},
  },
  facts: {
    address: {},
    reason: { label: 'Mail server response' },
    emailLogId: { label: 'ID of the refused email' },
    createdAt: { label: 'Blocked', kind: 'date' },
    id: {},
  },
  empty: {
    text: 'No addresses are blocked. An address that its mail server permanently refuses is listed here.',
    docs: 'send-mail',
    cli: null,
  },
});

/** Addresses that mail servers refused for good, for staff. */
export const blockResource = adminResource<Block>({
  name: 'email-blocks',
  labels: { one: 'blocked address', many: 'blocked addresses' },
  about: 'Addresses that mail servers permanently refused; they get no email',
  needs: { read: 'settings:read', write: 'settings:write' },
  screen,
  rows: blockRows,
  remove: {
    level: 'moderate',
    summary: 'Unblock the address, so that it gets email again',
    isBulk: true,
    run: lift,
  },
  apis: [
    {
      surface: 'store',
      path: '/email-blocks',
      item: 'email_block',
      type: 'EmailBlock',
      view: BlockView,
      toView: blockView,
    },
  ],
});
