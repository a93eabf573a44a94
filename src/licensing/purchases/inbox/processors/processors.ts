import { isUsable } from '#platform/notification-signatures/index.ts';
import type { Processor } from '../../integrations/index.ts';
import type { ProcessorEvent, ProcessorRules, Signed } from './event.ts';
import { generic } from './generic.ts';
import { parseBody } from './reading.ts';
import { square } from './square.ts';
import { stripe } from './stripe.ts';

const rules: Record<Processor, ProcessorRules> = { STRIPE: stripe, SQUARE: square, GENERIC: generic };

/**
 * Why a delivery is not believed, in words for staff; null when its signature holds (spec POST webhooks/inbound). The
 * words name no secret and no signature.
 */
export function signatureFault(processor: Processor, signed: Signed): string | null {
  if (!signed.secrets.some(isUsable)) return 'the configured secret has fewer than 16 characters';
  return rules[processor].faultOf(signed);
}

/** The event of a body whose signature holds; null when it is not a JSON object or names no event. */
export function readEvent(processor: Processor, raw: Buffer): ProcessorEvent | null {
  const payload = parseBody(raw);
  return payload && rules[processor].read(payload, raw);
}
