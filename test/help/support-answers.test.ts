import { testPage } from './run-page.ts';

testPage('support-answers');
