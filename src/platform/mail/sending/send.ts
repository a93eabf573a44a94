import type { Ctx } from '#kernel/context.ts';
import { type Asked, render } from '../render.ts';
import { putInFolder } from './folder.ts';
import type { Message, Outcome } from './message.ts';
import type { Route } from './route.ts';
import { sendBySmtp } from './smtp.ts';

/** Where a mail can go. */
export type OpenRoute = Exclude<Route, { kind: 'none' }>;

/** Renders a mail and sends it. @throws Error for a mail without a template */
export async function send(ctx: Ctx, route: OpenRoute, asked: Asked, messageId: string): Promise<Outcome> {
  const message: Message = {
    ...(await render(ctx, asked)),
    ...{ id: messageId, to: asked.to, at: ctx.now(), unsubscribeUrl: unsubscribeUrlIn(asked.values) },
  };
  return route.kind === 'smtp'
    ? sendBySmtp(route.server, route.sender, message)
    : putInFolder(route.folder, route.sender, message);
}

/** Mails that advertise name it; one that could break the header is none. */
function unsubscribeUrlIn({ unsubscribe_url: url = '' }: Asked['values']): string | null {
  return /^https?:\/\/[\x21-\x3b\x3d\x3f-\x7e]+$/.test(url) ? url : null;
}
