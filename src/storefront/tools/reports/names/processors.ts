const NAMES: Readonly<Record<string, string>> = {
  stripe: 'Stripe',
  square: 'Square',
  paypal: 'PayPal',
  offline: 'Recorded by staff',
  gift_card: 'Gift cards',
  fake: 'Test payments',
};

/** How staff know a way to pay. */
export const processorName = (id: string): string => NAMES[id] ?? id;
