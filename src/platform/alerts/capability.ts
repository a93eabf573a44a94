import { capability, type Job } from '#kernel/capability.ts';
import { evaluate } from './alerts.ts';
import { alertBegunMail, alertOverMail } from './mails.ts';
import { alertRecord } from './record.ts';

const alertsJob: Job = {
  name: 'alerts',
  description:
    'Reports what operators must know by email, webhook and ping, once when it begins and once when it is over',
  everySeconds: 60,
  needsServer: true,
  run: evaluate,
};

export const alerts = capability({
  name: 'alerts',
  records: [alertRecord],
  jobs: [alertsJob],
  staffMails: [alertBegunMail, alertOverMail],
});
