// A day of whoever answers customers.
import { testWalk } from '../../support/walk.ts';

const customer = 'bob.the.builder@long-company-name.example.com';

testWalk('support-day', {
  steps(port) {
    const hidden = (line: string) => ({ line, hidden: true as const });
    const activate = (machine: string) =>
      `curl -s -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' ` +
      `-d "{\\"licenseKey\\":\\"$KEY\\",\\"machineId\\":\\"${machine}\\",\\"machineName\\":\\"${machine}\\"}" ` +
      `http://127.0.0.1:${port}/api/v1/license/activate`;
    return [
      hidden('appctl setup --no-input --owner-email ann@example.com --generate-password --json'),
      hidden('appctl product create --name Editor --slug editor'),
      hidden(
        `KEY=$(appctl license mint --product editor --email ${customer} --order-id SHOP-2027-0001 --max-activations 2 --reveal --plain --fields key)`,
      ),
      hidden('appctl license mint --product editor --email eve@example.com --days 365'),
      'appctl license list',
      'appctl license find eve@example.com',
      { line: ({ last }) => `appctl license show ${last(/^(lic_\w+)/)} --events` },
      // "It says that all machines are in use": a new computer, and two that hold the places.
      { ...hidden(`appctl serve --listen 127.0.0.1:${port}`), until: 'listening' },
      hidden(
        'API_KEY=$(appctl apikey create --service license --name app --scope VALIDATE_ONLY --reveal --plain --fields secret)',
      ),
      hidden(activate('old-laptop')),
      hidden(activate('studio-pc')),
      hidden(`REFUSED=$(${activate('new-laptop')} | jq -r .requestId)`),
      { line: 'appctl license validate --license SHOP-2027-0001 --machine new-laptop', code: 5 },
      'appctl license why $REFUSED',
      'appctl license machines list SHOP-2027-0001',
      {
        line: 'appctl license machines remove SHOP-2027-0001 old-laptop',
        answers: [['(y/N)', 'y']],
      },
      hidden(activate('new-laptop')),
      `appctl license validate --license ${customer} --machine new-laptop`,
      // "I want another year", and "my key is on a forum".
      'appctl license renew eve@example.com --days 365',
      {
        line: 'appctl license rekey SHOP-2027-0001 --reason "posted on a forum" --honeypot',
        answers: [['(y/N)', 'y']],
      },
      { line: 'appctl license validate --license lic_nope --machine studio-pc', code: 3 },
    ];
  },
});
