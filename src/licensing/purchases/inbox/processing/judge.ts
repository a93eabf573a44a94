import type { RawBody } from '#kernel/http/raw-body.ts';
import { endpointUrl, type LiveIntegration, type Processor } from '../../integrations/index.ts';
import type { ProcessorEvent, SignatureHeaders } from '../processors/event.ts';
import { readEvent, signatureFault } from '../processors/processors.ts';
import type { Refusal } from '../refusals/refusals.ts';

/** What a processor sent. */
export interface Delivery {
  configId: string;
  raw: RawBody;
  headers: SignatureHeaders;
  /** Where it came from, normalised (D16). */
  ip: string;
  /** ISO time of the receipt: the replay window is measured from here. */
  receivedAt: string;
}

/** An event that is believed. */
export interface Accepted {
  config: LiveIntegration;
  event: ProcessorEvent;
  bytes: Buffer;
}

export interface JudgeOptions {
  baseUrl: string;
  /** It was accepted before, when the secrets may have been others and the integration was switched on. */
  isBelieved?: boolean;
}

/**
 * Whether a delivery is an event of its integration (licensing 2.9, steps 1 to 3). It is parsed only after its
 * signature holds.
 *
 * @param config null for an unknown one; one that is switched off counts as unknown
 */
export function judgeDelivery(
  config: LiveIntegration | null,
  { raw, headers, receivedAt }: Delivery,
  { baseUrl, isBelieved = false }: JudgeOptions,
): Accepted | Refusal {
  if (!config || (!config.enabled && !isBelieved))
    return refuse('CONFIG_NOT_FOUND', config ? 'the integration is disabled' : 'no such integration');
  if ('fault' in raw) {
    return raw.fault === 'TOO_LARGE'
      ? refuse('TOO_LARGE', 'the body is larger than 1 MiB')
      : refuse('MALFORMED', 'the body ended early');
  }
  const { processor } = config;
  if (processor === 'WALLET')
    return refuse('UNSUPPORTED_PROCESSOR', 'certificate-based signatures are not supported');
  if (!isBelieved) {
    const notificationUrl = config.notificationUrl ?? endpointUrl(baseUrl, config.id);
    const receivedMs = Date.parse(receivedAt);
    const { secrets } = config;
    const signed = { raw: raw.bytes, headers, secrets, notificationUrl, receivedMs };
    const fault = signatureFault(processor, signed);
    if (fault !== null) return refuse('SIGNATURE_INVALID', fault);
  }
  return read(config, processor, raw.bytes);
}

function read(config: LiveIntegration, processor: Processor, bytes: Buffer): Accepted | Refusal {
  const event = readEvent(processor, bytes);
  return event
    ? { config, event, bytes }
    : refuse('MALFORMED', 'the body is not a JSON object with the name and id of an event');
}

const refuse = (reason: Refusal['reason'], detail: string): Refusal => ({ reason, detail });
