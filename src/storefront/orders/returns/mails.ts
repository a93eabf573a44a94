import { defineMail } from '#platform/mail/index.ts';

const shared = {
  return_number: 'R1001',
  order_number: '1001',
  return_url: 'https://shop.example/shop/order/abc/returns/R1001',
};
const items = '<p>1 × Stoneware mug</p>';

/** What customers are written about their returns (storefront-domain 14). */
export const returnRequestedMail = defineMail({
  key: 'return_requested',
  placeholders: ['return_number', 'order_number', 'return_url', 'items_html'],
  sample: { ...shared, items_html: items },
  mostAnHour: 10,
});

export const returnApprovedMail = defineMail({
  key: 'return_approved',
  placeholders: [
    'return_number',
    'order_number',
    'return_url',
    'items_html',
    'instructions_html',
    'label_url',
    'return_by',
  ],
  sample: {
    ...shared,
    items_html: items,
    instructions_html: '<p>Pack it well and send it to 1 Main Street, 62701 Springfield.</p>',
    label_url: 'https://carrier.example/label/1Z999',
    return_by: 'May 6, 2030',
  },
});

export const returnRejectedMail = defineMail({
  key: 'return_rejected',
  placeholders: ['return_number', 'order_number', 'return_url', 'reason'],
  sample: { ...shared, reason: 'It was worn.' },
});

export const returnReceivedMail = defineMail({
  key: 'return_received',
  placeholders: ['return_number', 'order_number', 'return_url', 'items_html'],
  sample: { ...shared, items_html: items },
});

export const returnCompletedMail = defineMail({
  key: 'return_completed',
  placeholders: ['return_number', 'order_number', 'return_url', 'amount', 'reason'],
  sample: { ...shared, amount: '$19.00', reason: '' },
});

export const returnExpiredMail = defineMail({
  key: 'return_expired',
  placeholders: ['return_number', 'order_number', 'return_url', 'return_by'],
  sample: { ...shared, return_by: 'May 6, 2030' },
});

/** What staff wrote to the customer about a return. */
export const returnMessageMail = defineMail({
  key: 'return_message',
  placeholders: ['return_number', 'order_number', 'return_url', 'message'],
  sample: { ...shared, message: 'Please send us a photo of the box.' },
});

export const returnMails = [
  returnRequestedMail,
  returnApprovedMail,
  returnRejectedMail,
  returnReceivedMail,
  returnCompletedMail,
  returnExpiredMail,
  returnMessageMail,
];
