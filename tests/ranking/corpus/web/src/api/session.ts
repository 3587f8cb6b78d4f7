/** Who is signed in: holds the access token and renews it a minute before it expires. */
export class Session {
  private access?: { token: string; expiresAt: number };
  private renewing?: Promise<string>;

  async token(now = Date.now()): Promise<string> {
    if (this.access && this.access.expiresAt - now > 60_000) return this.access.token;
    // Several requests at once share one renewal.
    this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async renew(): Promise<string> {
    const response = await fetch("/session/refresh", { method: "POST", credentials: "include" });
    if (response.status === 401) {
      this.signOut();
      throw new Error("signed out");
    }
    const { token, expires_in } = await response.json();
    this.access = { token, expiresAt: Date.now() + expires_in * 1000 };
    return token;
  }

  signOut() {
    this.access = undefined;
    location.assign("/login");
  }
}
