//! The router: which path is answered by whom, and what every request passes first.

mod guard;
mod handlers;
mod page;
mod problem;
mod throttle;

pub use page::{Cursor, Page};
pub use problem::Problem;

use crate::settings::Settings;
use crate::store::Pool;

pub struct App {
    routes: Vec<Route>,
    throttle: throttle::Throttle,
    guard: guard::Guard,
    pool: Pool,
}

struct Route {
    method: &'static str,
    pattern: &'static str,
    handler: handlers::Handler,
}

pub fn router(settings: Settings, pool: Pool) -> App {
    let routes = vec![
        Route { method: "POST", pattern: "/v2/shipments", handler: handlers::create },
        Route { method: "GET", pattern: "/v2/shipments", handler: handlers::list },
        Route { method: "GET", pattern: "/v2/shipments/:id", handler: handlers::show },
        Route { method: "DELETE", pattern: "/v2/shipments/:id", handler: handlers::cancel },
        Route { method: "POST", pattern: "/v2/quotes", handler: handlers::quote },
        Route { method: "GET", pattern: "/v1/parcels", handler: crate::v1::parcels::list },
    ];
    App {
        routes,
        throttle: throttle::Throttle::new(settings.throttle.per_second, settings.throttle.burst),
        guard: guard::Guard::new(pool.clone()),
        pool,
    }
}

impl App {
    /// One request through throttle, guard and handler, in this order.
    pub async fn answer(&self, request: Request) -> Response {
        if let Err(wait) = self.throttle.admit(request.key()) {
            return Problem::too_many(wait).into();
        }
        let caller = match self.guard.caller(&request).await {
            Ok(caller) => caller,
            Err(problem) => return problem.into(),
        };
        match self.routes.iter().find(|route| route.fits(&request)) {
            Some(route) => (route.handler)(&self.pool, caller, request).await.unwrap_or_else(|e| Problem::from(e).into()),
            None => Problem::not_found("no such path").into(),
        }
    }
}
