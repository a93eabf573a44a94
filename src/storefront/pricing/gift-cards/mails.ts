import { defineMail } from '#platform/mail/index.ts';

/** The code of a gift card, for whom it is. */
export const giftCardDeliveryMail = defineMail({
  key: 'gift_card_delivery',
  placeholders: ['code', 'amount', 'message', 'sender_name', 'expires_at', 'balance_url'],
  sample: {
    code: '01AB-CDEF-GHJK-MNPQ',
    amount: '$50.00',
    message: 'Happy birthday!',
    sender_name: 'Bob',
    expires_at: 'May 6, 2030',
    balance_url: 'https://shop.example/shop/gift-cards/balance',
  },
  // Whoever reads the code can spend the card.
  isSecret: true,
});
