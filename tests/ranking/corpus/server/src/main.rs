use std::net::SocketAddr;

use parcelbird::settings::Settings;
use parcelbird::{http, store, telemetry};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings::load(std::env::args().nth(1).as_deref())?;
    telemetry::start(&settings.telemetry)?;
    let pool = store::pool::connect(&settings.database).await?;
    store::migrate(&pool).await?;
    let address: SocketAddr = settings.http.listen.parse()?;
    let app = http::router(settings, pool);
    serve_until_signalled(address, app).await
}

/// Serves until SIGTERM, then lets open requests finish for at most twenty seconds.
async fn serve_until_signalled(address: SocketAddr, app: http::App) -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind(address).await?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    tokio::spawn(async move {
        let _ = tokio::signal::ctrl_c().await;
        let _ = stop.send(());
    });
    app.serve(listener, stopped, std::time::Duration::from_secs(20)).await?;
    Ok(())
}
