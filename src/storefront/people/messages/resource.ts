import { action, adminResource } from '#platform/admin/index.ts';
import * as messages from './messages.ts';
import { messageRows } from './queries.ts';
import type { Message } from './record.ts';
import { messageScreen } from './screen.ts';
import { MessageView, messageView } from './view.ts';

/** Messages of the contact form, for staff. */
export const messageResource = adminResource<Message>({
  name: 'shop-messages',
  labels: { one: 'message', many: 'messages' },
  about: 'Messages from the contact form',
  needs: { read: 'customers:read', write: 'customers:write' },
  screen: messageScreen,
  rows: messageRows,
  remove: { level: 'moderate', summary: 'Permanently remove a message', isBulk: true, run: messages.remove },
  actions: {
    done: action<Message>({
      label: 'Mark as done',
      summary: 'Mark a message as done',
      needs: 'customers:write',
      level: 'mild',
      where: 'both',
      when: ({ status }) => status === 'open',
      run: (ctx, id) => messages.mark(ctx, id, 'done'),
    }),
    reopen: action<Message>({
      label: 'Reopen',
      summary: 'Mark a message as open again',
      needs: 'customers:write',
      level: 'mild',
      where: 'both',
      when: ({ status }) => status === 'done',
      run: (ctx, id) => messages.mark(ctx, id, 'open'),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/messages',
      item: 'message',
      type: 'ContactMessage',
      view: MessageView,
      toView: messageView,
    },
  ],
});
