import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import * as oauth from 'openid-client';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { post, registerProgram } from '#testkit/clients/oauth-client.ts';
import { assertFitsAndAccessible, signIn } from './dashboard-user.ts';

/** A metrics dashboard that knows nothing of ours but its address, with a certified OAuth2 client, in a real browser. */
describe('signing in to the metrics dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let dashboard: Server;
  let redirectUri: string;
  let config: oauth.Configuration;

  before(async () => {
    // It shows where the browser came back to, and leaves the rest to the test.
    dashboard = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Grafana</title><h1>Welcome back</h1>'),
    );
    await new Promise<void>((resolve) => dashboard.listen(0, '127.0.0.1', resolve));
    const metricsUrl = `http://127.0.0.1:${(dashboard.address() as AddressInfo).port}`;
    redirectUri = `${metricsUrl}/login/generic_oauth`;
    const env = { METRICS_URL: `${metricsUrl}/`, METRICS_CLIENT_SECRET: 'a secret + with: odd characters' };
    [app, browser] = await Promise.all([startTestApp({ env }), openBrowser()]);
    config = await discover(oauth.ClientSecretBasic(env.METRICS_CLIENT_SECRET));
  });
  after(async () => {
    await browser?.close();
    await app?.close();
    dashboard?.close();
  });

  const discover = (authentication: oauth.ClientAuth) =>
    oauth.discovery(new URL(`${app.url}/metrics-auth`), 'grafana', undefined, authentication, {
      algorithm: 'oauth2',
      execute: [oauth.allowInsecureRequests],
    });

  async function begin(): Promise<{ url: string; checks: oauth.AuthorizationCodeGrantChecks }> {
    const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
    const expectedState = oauth.randomState();
    const url = oauth.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'userinfo',
      code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    });
    return { url: url.href, checks: { pkceCodeVerifier, expectedState } };
  }

  const newPage = async (): Promise<Page> => {
    const context = await browser.newContext({ baseURL: app.url });
    context.setDefaultTimeout(30_000);
    return context.newPage();
  };
  const cameBack = async (page: Page) => {
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    return new URL(page.url());
  };

  it('leads through our sign-in and back, once; the second time nobody is asked anything', async () => {
    const page = await newPage();
    const first = await begin();
    await page.goto(first.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, OPERATOR.email, OPERATOR.password);
    const tokens = await oauth.authorizationCodeGrant(config, await cameBack(page), first.checks);
    const me = await fetch(`${app.api}/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    assert.equal(me.status, 401);
    const user = await oauth.fetchUserInfo(config, tokens.access_token, oauth.skipSubjectCheck);
    assert.equal(user.email, OPERATOR.email);
    assert.equal(user.email_verified, true);
    assert.equal(user.role, 'operator');

    const second = await begin();
    await page.goto(second.url);
    const inBody = await discover(oauth.ClientSecretPost('a secret + with: odd characters'));
    const again = await oauth.authorizationCodeGrant(inBody, await cameBack(page), second.checks);
    assert.equal((await oauth.fetchUserInfo(inBody, again.access_token, user.sub)).sub, user.sub);
  });

  it('goes on from the sign-in page also for who turns out to be signed in already', async () => {
    const page = await newPage();
    await page.goto('/sign-in');
    await signIn(page, OPERATOR.email, OPERATOR.password);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const { url, checks } = await begin();
    const { pathname, search } = new URL(url);
    await page.goto(`/sign-in?${new URLSearchParams({ next: pathname + search })}`);
    const tokens = await oauth.authorizationCodeGrant(config, await cameBack(page), checks);
    assert.equal(tokens.token_type, 'bearer');
  });

  it('tells the dashboard of an unconfirmed address, which its client understands', async () => {
    const page = await newPage();
    const { url, checks } = await begin();
    await page.goto(url);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('analytical engine');
    await page.getByRole('button', { name: 'Create account' }).click();
    const back = await cameBack(page);
    await assert.rejects(
      oauth.authorizationCodeGrant(config, back, checks),
      (error: oauth.AuthorizationResponseError) => {
        assert.equal(error.error, 'access_denied');
        assert.match(error.error_description ?? '', /Confirm your email address/);
        return true;
      },
    );
  });

  it('goes nowhere else after signing in, whatever the address of the sign-in page says', async () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example/f/',
      '/\\evil.example/',
      'javascript:alert(1)',
      '/f/\n//evil.example',
    ]) {
      const page = await newPage();
      await page.goto(`/sign-in?${new URLSearchParams({ next })}`);
      await signIn(page, OPERATOR.email, OPERATOR.password);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      assert.equal(new URL(page.url()).origin, app.url);
      await page.context().close();
    }
  });

  it('is one click away for an operator, and not shown to anybody else', async () => {
    const page = await newPage();
    await page.goto('/sign-in');
    await signIn(page, OPERATOR.email, OPERATOR.password);
    const link = page.getByRole('link', { name: /^Metrics/ });
    assert.equal(await link.getAttribute('href'), new URL(redirectUri).origin);
    const customer = await newPage();
    await customer.goto('/sign-in');
    await signIn(customer, 'ada@example.com', 'analytical engine');
    await customer.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    assert.equal(await customer.getByRole('link', { name: /^Metrics/ }).count(), 0);
  });

  it('asks whoever signs in before a program of others may act for them, and leads back only on their click', async () => {
    const program = await registerProgram(app, `${new URL(redirectUri).origin}/callback`);
    const page = await newPage();
    await page.goto(program.ask().href);
    await signIn(page, OPERATOR.email, OPERATOR.password);
    await page.getByRole('heading', { name: 'Connect “Spoiler”?' }).waitFor();
    await assertFitsAndAccessible(page, 'consent');
    // Nothing is chosen for anybody.
    await page.getByRole('button', { name: 'Connect' }).click();
    assert.equal(new URL(page.url()).origin, app.url);
    await page.getByRole('radio', { name: 'Read' }).click();
    await page.getByRole('button', { name: 'Connect' }).click();
    assert.equal(new URL(page.url()).origin, app.url, 'nor is it chosen where');
    await page.getByRole('combobox', { name: 'In' }).click();
    await page.getByRole('option', { name: 'All your teams' }).click();
    await page.getByRole('button', { name: 'Connect' }).click();
    const code = (await cameBack(page)).searchParams.get('code') as string;
    const { json } = await program.exchange({ code });
    assert.equal(json.scope, 'read');

    await page.goto(`${app.url}/account?tab=programs`);
    await page.getByRole('button', { name: 'Disconnect Spoiler' }).click();
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText('The program is disconnected.').waitFor();
    assert.equal((await program.refresh(json.refresh_token)).json.error, 'invalid_grant');

    await page.goto(program.ask({ response_type: 'token' }).href);
    await page.getByRole('heading', { name: 'This program cannot be connected' }).waitFor();
    await page.goto(program.ask({ redirect_uri: 'https://evil.example/' }).href);
    await page.getByText('nobody is sent there').waitFor();
    assert.equal(new URL(page.url()).origin, app.url);
  });

  it('lets a program of a terminal in by a typed code alone, with what was chosen, whatever a link says', async () => {
    const { json: codes } = await post(`${app.api}/device_sign_in`, { client_name: 'siteyard on laptop' });
    const page = await newPage();
    await page.goto(`/device?code=${codes.user_code}`);
    await signIn(page, OPERATOR.email, OPERATOR.password);
    const code = page.getByLabel('Code');
    assert.equal(await code.inputValue(), '');
    await code.fill(codes.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Let “siteyard on laptop” in?' }).waitFor();
    await assertFitsAndAccessible(page, 'device');
    // Nothing is chosen for anybody, neither what it may nor where.
    await page.getByRole('checkbox', { name: 'Read' }).click();
    await page.getByRole('button', { name: 'Let it in' }).click();
    await page.getByRole('combobox', { name: 'Team' }).click();
    await page.getByRole('option', { name: 'All your teams' }).click();
    await page.getByRole('button', { name: 'Let it in' }).click();
    await page.getByRole('heading', { name: 'It is signed in' }).waitFor();
    const { json } = await post(`${app.api}/device_sign_in/token`, { device_code: codes.device_code });
    assert.equal(json.scope, 'read');
  });
});
