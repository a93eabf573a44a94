import { testPage } from './run-page.ts';

testPage('send-mail');
