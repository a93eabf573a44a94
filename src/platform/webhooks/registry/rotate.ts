import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { conflict } from '#kernel/service/errors.ts';
import { webhooksChanged } from '../deliveries/changes.ts';
import type { WebhookService } from '../service.ts';
import type { Webhook } from '../webhook.ts';
import { type ChangeOptions, lockWebhook, tell } from './change.ts';
import { noWebhook } from './errors.ts';
import * as repo from './repository.ts';
import { isSealed, sealAsPrevious, sealSecret, signingSecret } from './secrets.ts';
import type { CreateOptions } from './webhooks.ts';

/**
 * Gives a webhook a new signing secret. For 24 hours the old one signs too, as X-Webhook-Signature-Previous, so that the
 * receiver can change over (D120).
 *
 * The secret that was current when the call began must still be so when it writes: of two administrators at once the
 * second would otherwise push out the only secret that the receiver knows (M12).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for a bad own secret; PRECONDITION_FAILED; CONFLICT when it was rotated
 *   meanwhile, or is the own secret already: a script that is run again would push out the secret that the receiver knows
 */
export async function rotateSecret(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  { secret: own, ...options }: ChangeOptions & CreateOptions = {},
): Promise<{ webhook: Webhook; signingSecret: string; previousUntil: string }> {
  const secret = signingSecret(own);
  const seen = await repo.sealedSecret(ctx, service.name, id);
  if (seen === null) throw noWebhook(id);
  if (own !== undefined && isSealed(ctx, id, seen, own))
    throw conflict(`this is the secret of ${id} already`, `appctl webhook show ${id}`);
  return ctx.tx(async (ctx) => {
    const before = await lockWebhook(ctx, service, id, options);
    const previousUntil = addSeconds(ctx.now(), SECONDS_PER_DAY);
    const next = {
      secret: sealSecret(ctx, id, secret),
      previous: sealAsPrevious(ctx, id, seen),
      previousUntil,
    };
    if (!(await repo.exchangeSecret(ctx, id, seen, next)))
      throw conflict(`the secret of ${before.name} was rotated in the meantime`, `appctl webhook show ${id}`);
    await webhooksChanged(ctx);
    // The log masks both: that they differ is all there is to say.
    const sides = { before: { secret: 'old' }, after: { secret: 'new', previousUntil } };
    const told = { type: 'WEBHOOK_SECRET_ROTATED', data: { previousUntil }, ...sides } as const;
    await tell(ctx, before, told, options.note);
    ctx.origin.keepSecret?.(secret);
    const webhook = (await repo.find(ctx, service.name, id)) ?? before;
    return { webhook, signingSecret: secret, previousUntil };
  });
}
