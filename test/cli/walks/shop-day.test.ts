// A day of the shop's staff by command.
import { testWalk } from '../../support/walk.ts';

const setup = 'appctl setup --no-input --owner-email ann@example.com --generate-password';
const scopes = ['products:write', 'orders:write'].map((scope) => `--scope ${scope}`).join(' ');
const address = {
  name: 'Bob Builder',
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
};
const product = {
  title: 'Enamel mug',
  status: 'active',
  type: 'physical',
  variants: [{ sku: 'MUG-1', price_cents: 1900, stock: 9 }],
};

testWalk('shop-day', {
  steps(port) {
    const url = `http://127.0.0.1:${port}/api/store`;
    const call = (path: string, body: string) =>
      `curl -sf -H "Authorization: Bearer $STORE_KEY" -H 'Content-Type: application/json' -d "${body.replaceAll('"', '\\"')}" ${url}${path}`;
    const order = (email: string) =>
      JSON.stringify({
        email,
        shipping_address: address,
        shipping_cents: 500,
        items: [{ variant_id: '$VARIANT', quantity: 2 }],
      });
    const hidden = (line: string) => ({ line, hidden: true as const });
    return [
      hidden(setup),
      hidden('appctl settings set payment_processor offline'),
      { ...hidden(`appctl serve --listen 127.0.0.1:${port}`), until: 'listening' },
      hidden(
        `STORE_KEY=$(appctl apikey create --service store --name walk ${scopes} --reveal --plain --fields secret)`,
      ),
      hidden(`VARIANT=$(${call('/products', JSON.stringify(product))} | jq -r '.data.variants[0].id')`),
      hidden(
        `ORDER=$(${call('/orders', order('bob.the.builder@long-company-name.example.com'))} | jq -r .data.id)`,
      ),
      hidden(call('/orders/$ORDER/payments', JSON.stringify({ amount_cents: 4300, method: 'cash' }))),
      hidden(call('/orders', order('eve@example.com'))),
      'appctl store order list',
      'appctl store order show 1001',
      'appctl store order ship 1001 --carrier UPS --tracking 1Z999',
      {
        line: 'appctl store order refund 1001 --amount 5.00 --reason "one was chipped"',
        answers: [['Continue?', 'y']],
      },
      'appctl store customer list',
      'appctl store inventory show MUG-1',
    ];
  },
});
