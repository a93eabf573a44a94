import type StripeSdk from 'stripe';
import type { NextAction, Outcome } from '../contract.ts';
import { cardLabel, declinedOutcome, outcomeOf } from '../outcome.ts';
import { redacted } from '../redact.ts';
import { declineCodeOf } from './failure.ts';
import { fromUnits } from './units.ts';

type Intent = StripeSdk.PaymentIntent;
type Details = StripeSdk.Charge.PaymentMethodDetails;

/** Whatever names the payment is expanded to it, or is its id. */
export const idOf = (named: string | { readonly id: string } | null | undefined): string | null =>
  typeof named === 'string' ? named : (named?.id ?? null);

const chargeOf = ({ latest_charge: charge }: Intent): StripeSdk.Charge | null =>
  charge !== null && typeof charge === 'object' ? charge : null;

const NAMES: Readonly<Record<string, string>> = {
  link: 'Link',
  sepa_debit: 'SEPA Direct Debit',
  us_bank_account: 'Bank account',
  paypal: 'PayPal',
  klarna: 'Klarna',
  ideal: 'iDEAL',
  bancontact: 'Bancontact',
  eps: 'EPS',
  p24: 'Przelewy24',
};

type Method = Pick<Outcome, 'methodLabel' | 'fingerprint' | 'country'>;
type Card = Partial<Record<'brand' | 'last4' | 'fingerprint' | 'country', string | null>>;

const cardOf = ({ brand, last4, fingerprint, country }: Card): Method => ({
  methodLabel: cardLabel(brand, last4),
  fingerprint: fingerprint ?? null,
  country: country ?? null,
});

function methodOf(details: Details | null | undefined): Method {
  const card = details?.card ?? details?.card_present;
  if (card) return cardOf(card);
  const debit = details?.sepa_debit ?? details?.us_bank_account;
  const name = NAMES[details?.type ?? ''] ?? 'Card';
  return {
    methodLabel: debit?.last4 ? `${name} •••• ${debit.last4}` : name,
    fingerprint: debit?.fingerprint ?? null,
    country: details?.sepa_debit?.country ?? null,
  };
}

function nextActionOf(intent: Intent): NextAction | undefined {
  const url = intent.next_action?.redirect_to_url?.url;
  if (url) return { kind: 'redirect', url };
  return intent.client_secret ? { kind: 'client', clientSecret: intent.client_secret } : undefined;
}

const STATUS: Readonly<Record<string, Outcome['status']>> = {
  succeeded: 'captured',
  requires_capture: 'authorized',
  requires_action: 'requires_action',
  requires_confirmation: 'requires_action',
  processing: 'pending',
  canceled: 'voided',
  requires_payment_method: 'declined',
};

/** What a payment of Stripe is by now. @param intent with its latest charge expanded */
export function outcomeOfIntent(intent: Intent): Outcome {
  const currency = intent.currency.toUpperCase();
  // One that this version does not know is looked at again later.
  const status = STATUS[intent.status] ?? 'pending';
  const units =
    status === 'captured'
      ? intent.amount_received
      : status === 'authorized'
        ? intent.amount_capturable
        : intent.amount;
  const charge = chargeOf(intent);
  const asked = { amountCents: fromUnits(units, currency), currency };
  const refused = intent.last_payment_error?.payment_method?.card;
  const known = {
    transactionId: intent.id,
    // A declined payment may have no charge: its error names the card.
    ...(charge || !refused ? methodOf(charge?.payment_method_details) : cardOf(refused)),
    raw: redacted(intent),
  };
  if (status === 'declined')
    return declinedOutcome(asked, declineCodeOf(intent.last_payment_error ?? {}), known);
  const action = status === 'requires_action' ? nextActionOf(intent) : undefined;
  const until = charge?.payment_method_details?.card?.capture_before;
  return outcomeOf(asked, {
    status,
    ...known,
    ...(action && { nextAction: action }),
    ...(status === 'authorized' && until && { authorizationExpiresAt: isoOf(until) }),
  });
}

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** What a page to pay on is by now, while it has not become a payment. */
export function outcomeOfPage(page: StripeSdk.Checkout.Session): Outcome {
  const currency = (page.currency ?? '').toUpperCase();
  const asked = { amountCents: fromUnits(page.amount_total ?? 0, currency), currency };
  const known = { transactionId: page.id, methodLabel: 'Card', raw: redacted(page) };
  if (page.status === 'expired') return outcomeOf(asked, { status: 'voided', ...known });
  if (page.status === 'open' && page.url)
    return outcomeOf(asked, {
      status: 'requires_action',
      ...known,
      nextAction: { kind: 'redirect', url: page.url },
    });
  return outcomeOf(asked, { status: 'pending', ...known });
}
