import type { Ctx } from '#kernel/context.ts';

/** A webhook as the sending needs it; what is sealed stays sealed until it is used. */
export interface Sender {
  readonly webhookId: string;
  readonly url: string;
  readonly secretEnc: string;
  readonly previousSecretEnc: string | null;
  readonly previousUntil: string | null;
  readonly headersEnc: string | null;
}

/** What a request is signed with and carries beside the documented headers. */
export interface Credentials {
  readonly secret: string;
  /** The secret before the last rotation, while it signs too. */
  readonly previous: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Opens what the current row holds, at the moment of sending: a rotation counts for what waits as well.
 *
 * @throws SealError when the master key is not that of the row
 */
export function openCredentials(ctx: Ctx, sender: Sender): Credentials {
  const { webhookId, secretEnc, previousSecretEnc, previousUntil, headersEnc } = sender;
  const open = (sealed: string, part: string): string =>
    ctx.keyring.open('secret', sealed, `webhook:${webhookId}:${part}`);
  const stillSigns = previousSecretEnc !== null && previousUntil !== null && previousUntil > ctx.now();
  return {
    secret: open(secretEnc, 'secret'),
    previous: stillSigns ? open(previousSecretEnc, 'previous') : null,
    headers: headersEnc === null ? {} : (JSON.parse(open(headersEnc, 'headers')) as Record<string, string>),
  };
}
