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
    reason: { label: 'What its mail server said' },
    emailLogId: { label: 'ID of the refused email' },
    createdAt: { label: 'Blocked', kind: 'date' },
    id: {},
  },
  empty: {
    text: 'No address is blocked. An address that its mail server refuses for good is listed here.',
    docs: 'send-mail',
    cli: null,
  },
});

/** Addresses that mail servers refused for good, for staff. */
export const blockResource = adminResource<Block>({
  name: 'email-blocks',
  labels: { one: 'blocked address', many: 'blocked addresses' },
  about: 'Addresses that mail servers refused for good: nothing is sent to them',
  needs: { read: 'settings:read', write: 'settings:write' },
  screen,
  rows: blockRows,
  remove: {
    level: 'moderate',
    summary: 'Lift the block: emails are sent to the address again',
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
